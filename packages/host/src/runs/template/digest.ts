import { hash } from 'node:crypto';
import type { Template } from './template.ts';

/**
 * What a template is known by: SHA-256, hexadecimal, of its JSON with the names of fields in order. The same before and
 * after it was kept as JSON, whatever order its file had.
 */
export function templateDigest(template: Template): string {
  return hash(
    'sha256',
    JSON.stringify(template, (_, value) => (isObject(value) ? inOrder(value) : value)),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inOrder(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
