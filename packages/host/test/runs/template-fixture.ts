import { PatchbayError } from 'patchbay-sdk';
import { expect } from 'vitest';
import { readTemplate } from '../../src/runs/template/read.ts';
import type { LocatedProblem } from '../../src/runs/template/source.ts';

/** A template without a fault, to be spoilt. */
export const good = `name: base
description: A template without a fault.
roles:
  developer: { title: Developer, writes: ["src/**"], timeout: 30m }
  reviewer: { core: gate }
phases:
  - name: build
    steps:
      - role: developer
        reviewers: [reviewer]
        verify: [npm test]
    gate: ship
  - name: finish
    steps:
      - role: reviewer
gates:
  ship:
    checks:
      - verification: pass
    approval: human
limits: { attempts: 3 }
`;

/** The error that a text is refused with; throws if it is taken. */
export function refusal(text: string): PatchbayError {
  try {
    readTemplate(text, 'base.yaml');
  } catch (error) {
    if (error instanceof PatchbayError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

/** `line path: message` of everything that is wrong. */
export function wrongWith(text: string): string[] {
  const error = refusal(text);
  expect(error.code).toBe('TEMPLATE_INVALID');
  const problems = (error.problems ?? []) as readonly LocatedProblem[];
  return problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
}

/** The good template with one text put in the place of another. */
export function changed(from: string, to: string): string {
  expect(good).toContain(from);
  return good.replace(from, to);
}
