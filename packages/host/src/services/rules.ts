import type { Rule } from '../config/assistant-settings.ts';
import { bounded } from './bounded.ts';
import { matches } from './globs.ts';
import type { Taint } from './taints.ts';

/** A call, as rules see it. */
export interface RuledCall {
  readonly tool: string;
  readonly workspace: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly taint: Taint;
}

/** What the rules say of a call, and which of them. */
export interface Ruling {
  readonly decision: Rule['decision'];
  /** Why, for people. */
  readonly by: string;
}

/** Longer arguments are not matched: half of one could look harmless. */
const mostCharacters = 4096;
/** An expression that takes longer on an argument is taken for one that cannot decide. */
const boundMs = 500;

/** The ruling of the first rule that matches; a person is asked if none does, or one cannot tell. Never throws. */
export function rulingOf(rules: readonly Rule[], call: RuledCall): Ruling {
  for (const [at, rule] of rules.entries()) {
    const name = rule.name === undefined ? `rule ${at + 1}` : `rule "${rule.name}"`;
    const isMeant = meets(rule, call);
    if (isMeant === 'unclear') return { decision: 'ask', by: `${name} cannot tell` };
    if (isMeant) return { decision: rule.decision, by: name };
  }
  return { decision: 'ask', by: 'no rule matches' };
}

function meets({ tool, workspace, args = {}, taint = [] }: Rule, call: RuledCall): boolean | 'unclear' {
  if (tool !== undefined && !matches(tool, call.tool)) return false;
  if (workspace !== undefined && (call.workspace === null || !matches(workspace, call.workspace))) return false;
  if (!taint.every((kind) => call.taint[kind])) return false;
  let isClear = true;
  for (const [path, pattern] of Object.entries(args)) {
    const found = fits(pattern, textAt(call.input, path));
    if (found === false) return false;
    if (found === 'unclear') isClear = false;
  }
  return isClear ? true : 'unclear';
}

function fits(pattern: string, text: string | undefined): boolean | 'unclear' {
  if (text === undefined) return false;
  if (text.length > mostCharacters) return 'unclear';
  try {
    return bounded(boundMs, () => new RegExp(pattern).test(text));
  } catch {
    return 'unclear';
  }
}

/** An argument as text, by its path; undefined if there is none. */
function textAt(input: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const found = Object.hasOwn(input, path)
    ? input[path]
    : path.split('.').reduce<unknown>((at, part) => memberOf(at, part), input);
  if (found === undefined) return undefined;
  return typeof found === 'string' ? found : JSON.stringify(found);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
