import type { AnyNode } from 'acorn';
import { ancestor } from 'acorn-walk';
import type { Concern } from '../../concern.ts';
import type { TextFile } from '../../workspace/files.ts';
import { type Parsed, parse } from '../../workspace/parse.ts';
import { isTest } from '../../workspace/paths.ts';
import { command, evaluation, query } from './injection.ts';
import { library } from './libraries.ts';
import { markup } from './markup.ts';
import { Module } from './module.ts';
import type { Rule } from './rule.ts';
import { ownersOf } from './scopes.ts';
import { timeouts } from './timeouts.ts';
import { traversal } from './traversal.ts';
import { certificates, signing } from './trust.ts';

const rules: readonly Rule[] = [
  command,
  evaluation,
  query,
  library,
  markup,
  signing,
  certificates,
  traversal,
  timeouts,
];

/** What is wrong in a JavaScript or TypeScript module; null if it could not be parsed. Tests are let be. */
export function javascriptIn({ path, text }: TextFile): Concern[] | null {
  if (isTest(path)) return [];
  const parsed = parse(path, text);
  if (parsed === null) return null;
  try {
    return concernsIn(path, parsed);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    // What nobody can read may hide anything.
    return [
      { check: 'code injection', weight: 'ADVISORY', file: path, line: 1, says: 'nested too deeply to be looked at' },
    ];
  }
}

function concernsIn(path: string, parsed: Parsed): Concern[] {
  const module = new Module(parsed);
  const concerns: Concern[] = [];
  const look = (node: AnyNode, _: unknown, ancestors: readonly AnyNode[]) => {
    const site = { node, owners: ownersOf(ancestors), module };
    for (const rule of rules) {
      const objection = rule(site);
      if (objection !== null) concerns.push({ ...objection, file: path, line: parsed.lineOf(node) });
    }
  };
  ancestor(parsed.program, { CallExpression: look, NewExpression: look, AssignmentExpression: look });
  return concerns;
}
