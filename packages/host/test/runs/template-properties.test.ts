import { readFileSync } from 'node:fs';
import { join, matchesGlob, resolve } from 'node:path';
import fc from 'fast-check';
import { PatchbayError } from 'patchbay-sdk';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readTemplate } from '../../src/runs/template/read.ts';
import type { Gate, Phase, Template } from '../../src/runs/template/template.ts';

const shipped = ['governed', 'pace', 'chat'].map((name) =>
  readFileSync(join(import.meta.dirname, `../../templates/${name}.yaml`), 'utf8'),
);

const inside = (path: string) => resolve('/workspace', path).startsWith('/workspace/');
const differ = (names: readonly string[]) => new Set(names).size === names.length;
const whole = (value: number) => Number.isSafeInteger(value) && value >= 1;
const bounded = (value: number | null) => value === null || (Number.isFinite(value) && value > 0);

/** The phases that a run goes through; a thousand at most. */
function way({ phases }: Template): Phase[] {
  const passed: Phase[] = [];
  for (let at = phases[0]; at !== undefined && passed.length < 1000; ) {
    passed.push(at);
    const { next } = at;
    at = phases.find(({ name }) => name === next);
    if (next !== null && at === undefined) throw new Error(`no phase ${next}`);
  }
  return passed;
}

function checkGate({ name, checks, approval }: Gate, { phases }: Template): void {
  const { kind, quorum, approvers } = approval;
  const own = phases.some((phase) => phase.name === name && phase.gate === name);
  expect(checks.length > 0 || kind !== 'automatic' || own).toBe(true);
  expect(kind === 'automatic' ? quorum === 0 && approvers.length === 0 : whole(quorum)).toBe(true);
  expect(approvers.length === 0 || quorum <= approvers.length).toBe(true);
  expect(differ(approvers) && bounded(approval.expiresMs)).toBe(true);
  for (const check of checks) {
    if (check.kind === 'objections') expect(['low', 'medium', 'high', 'blocking']).toContain(check.severity);
    if (check.kind !== 'file') continue;
    expect(inside(check.path) && check.contains !== '').toBe(true);
    if (check.matches !== null) new RegExp(check.matches, 'mu');
  }
}

/** What the engine relies on, written without a look at how templates are read. */
function check(template: Template): void {
  const { roles, phases, gates, limits } = template;
  expect(JSON.parse(JSON.stringify(template))).toEqual(template);
  expect(template.name).toMatch(/^[a-z]/);
  expect(
    way(template)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(phases.map(({ name }) => name).sort());
  for (const [name, role] of Object.entries(roles)) {
    expect(role.name).toBe(name);
    expect(bounded(role.timeoutMs) && role.timeoutMs < 2 ** 31 && role.core !== '').toBe(true);
    for (const glob of role.writes) {
      expect(inside(glob)).toBe(true);
      matchesGlob(`${'a'.repeat(200)}/${'a/'.repeat(50)}`, glob); // Comes to an end.
    }
  }
  const steps = phases.flatMap((phase) => phase.steps.flat());
  expect(phases.every((phase) => phase.steps.length > 0 && phase.steps.every((some) => some.length > 0))).toBe(true);
  expect(differ(steps.map(({ id }) => id))).toBe(true);
  for (const { role, reviewers, verify } of steps) {
    expect([role, ...reviewers].every((name) => Object.hasOwn(roles, name))).toBe(true);
    expect(differ([role, ...reviewers])).toBe(true);
    expect(verify.every((command) => command.trim() !== '')).toBe(true);
  }
  expect(phases.every(({ gate }) => Object.hasOwn(gates, gate) && gates[gate]?.name === gate)).toBe(true);
  for (const gate of Object.values(gates)) checkGate(gate, template);
  expect(whole(limits.attempts) && whole(limits.parallel)).toBe(true);
  expect([limits.runTimeoutMs, limits.usd, limits.tokens].every(bounded)).toBe(true);
}

/** Whether a text was taken; refused is good too, crashed is not. */
function taken(text: string): boolean {
  let template: Template;
  try {
    template = readTemplate(text, 'mutant.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(PatchbayError);
    expect(error).toMatchObject({ code: 'TEMPLATE_INVALID', message: expect.stringMatching(/^mutant\.yaml.*: \S/s) });
    expect((error as PatchbayError).problems?.length).toBeGreaterThan(0);
    return false;
  }
  check(template);
  return true;
}

type Node = Record<string, unknown> | unknown[];

/** Everything in a value that has parts. */
function nodesOf(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(nodesOf)];
}

const words = ['planner', 'reviewer', 'gate', 'plan', 'ship', 'review', 'build', 'end', 'constructor', 'x', 'script'];
const texts = [
  '',
  ' ',
  '..',
  '../x',
  '/x',
  '**',
  'src/**',
  '[',
  '{a,b}',
  '(',
  '3d',
  '0s',
  'pass',
  'none',
  'human',
  'automatic',
];
const anything = fc.oneof(
  fc.constantFrom<unknown>(...words, ...texts),
  fc.constantFrom<unknown>(null, true, 0, -1, 1, 2, 1.5, 1e300, [], {}, [[]], ['x'], { role: 'reviewer' }),
  fc.constantFrom<unknown>(
    { kind: 'human', quorum: 2 },
    { reviews: 'pass' },
    { file: 'a', matches: '^a' },
    { parallel: [] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const fields = [
  'name',
  'roles',
  'phases',
  'gates',
  'limits',
  'steps',
  'role',
  'reviewers',
  'verify',
  'parallel',
  'gate',
  'next',
  'checks',
  'approval',
  'file',
  'contains',
  'with',
  'writes',
  'timeout',
  'quorum',
  'usd',
  'attempts',
  ...words,
];

interface Change {
  readonly node: number;
  readonly part: number;
  readonly kind: 'replace' | 'remove' | 'add' | 'repeat' | 'reverse' | 'name';
  readonly field: string;
  readonly value: unknown;
}
const change: fc.Arbitrary<Change> = fc.record({
  node: fc.nat(200),
  part: fc.nat(20),
  kind: fc.constantFrom('replace', 'remove', 'add', 'repeat', 'reverse', 'name'),
  field: fc.constantFrom(...fields),
  value: anything,
});

/** A name that the template itself has: of a phase, or of anything that goes by name. */
function nameIn(nodes: readonly Node[], part: number): string {
  const names = nodes.flatMap((node) => {
    if ('name' in node) return typeof node['name'] === 'string' ? [node['name']] : [];
    return Object.values(node).every((value) => typeof value === 'object') ? Object.keys(node) : [];
  });
  return [...names, 'end'][part % (names.length + 1)] ?? 'end';
}

function apply(root: unknown, { node, part, kind, field, value: given }: Change): void {
  const value = structuredClone(given);
  const nodes = nodesOf(root);
  const at = nodes[node % nodes.length];
  if (at === undefined) return;
  const place = part % Math.max(1, Object.keys(at).length);
  if (Array.isArray(at)) {
    if (kind === 'remove') at.splice(place, 1);
    else if (kind === 'repeat') at.push(structuredClone(at[place]));
    else if (kind === 'reverse') at.reverse();
    else if (kind === 'name') at.push(nameIn(nodes, part));
    else if (kind === 'add') at.push(value);
    else at[place] = value;
    return;
  }
  const key = Object.keys(at)[place] ?? field;
  if (kind === 'remove') delete at[key];
  else if (kind === 'name') at[['next', 'gate', 'role', key][node % 4] ?? key] = nameIn(nodes, part);
  else if (kind === 'repeat' && Object.hasOwn(at, key)) at[field] = structuredClone(at[key]);
  else if (kind === 'add') at[field] = value;
  else at[key] = value;
}

it('a shipped template with its parts changed is refused, or is one that can be carried out', () => {
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...shipped), fc.array(change, { minLength: 1, maxLength: 4 }), (text, changes) => {
      const value: unknown = parse(text);
      for (const one of changes) apply(value, one);
      seen[taken(stringify(value, { aliasDuplicateObjects: false })) ? 'taken' : 'refused'] += 1;
    }),
    { numRuns: 500 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(0);
});

it('a shipped template with its letters changed is refused, or is one that can be carried out', () => {
  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const piece = fc.oneof(
    fc.constantFrom(
      '\n',
      '  ',
      ': ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '"',
      '*',
      '&a ',
      '!!set ',
      '<<: ',
      '---\n',
      '\t',
      '\0',
      '__proto__',
    ),
    fc.string({ maxLength: 8, unit: 'binary' }),
  );
  const edit = fc.tuple(place, fc.nat(12), piece);
  fc.assert(
    fc.property(fc.constantFrom(...shipped), fc.array(edit, { minLength: 1, maxLength: 3 }), (text, edits) => {
      let mutant = text;
      for (const [where, length, put] of edits) {
        const at = Math.floor(where * mutant.length);
        mutant = mutant.slice(0, at) + put + mutant.slice(at + length);
      }
      taken(mutant);
    }),
    { numRuns: 500 },
  );
});
