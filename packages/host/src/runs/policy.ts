import { outside } from '../workspaces/index.ts';
import { problemOfObjections, problemOfVerification } from './examine.ts';
import type { RunState } from './state.ts';
import { type Conditions, type Gate, leastOf, type Phase } from './template/template.ts';

/** Who let a gate open that needs nobody. */
export const policy = 'policy';

/** Whether a gate whose checks hold needs people, and why. */
export type Judgement =
  | { readonly opens: true; readonly comment: string | null }
  /** `because` goes after what it waits for; empty if the gate never opens by itself. */
  | { readonly opens: false; readonly because: string };

/** Whether a condition holds, and what was found. */
interface Finding {
  readonly holds: boolean;
  readonly found: string;
}

type Row<K extends keyof Conditions> = (value: NonNullable<Conditions[K]>, state: RunState, phase: Phase) => Finding;

/** How each condition is looked up: in what is written down of the run, so that the answer is the same after a crash. */
const rows: { readonly [K in keyof Conditions]-?: Row<K> } = {
  usd_below: (limit, { cost }) => ({ holds: cost.usd < limit, found: `${cost.usd} USD were spent` }),
  tokens_below: (limit, { cost }) => {
    const tokens = cost.input_tokens + cost.output_tokens;
    return { holds: tokens < limit, found: `${tokens} tokens were used` };
  },
  files_changed_below: (limit, { files }) => ({
    holds: files.length < limit,
    found: `${files.length} files were changed`,
  }),
  files_only: (globs, { files }) => {
    const changes = files.map((path) => ({ path, kind: 'modified', from: null, special: null }) as const);
    const beyond = outside(changes, globs).map(({ path }) => path);
    return finding(beyond.length === 0 ? undefined : `${shown(beyond)} changed`, 'no other file was changed');
  },
  objections: (severity, state) => finding(problemOfObjections(state, leastOf(severity)), 'none is open'),
  verification: (_, state, phase) => finding(problemOfVerification(state, phase), 'it passed'),
};

/** Whether a gate whose checks hold opens by itself in this state. Pure. */
export function judgeGate(state: RunState, { approval }: Gate, phase: Phase): Judgement {
  if (approval.kind === 'automatic') return { opens: true, comment: null };
  if (approval.policy === undefined) return { opens: false, because: '' };
  const findings = findingsOf(state, phase, approval.policy.automaticIf);
  const unmet = findings.filter(({ holds }) => !holds);
  if (unmet.length > 0) return { opens: false, because: `, because of ${toldOf(unmet)}` };
  return { opens: true, comment: toldOf(findings) };
}

function findingsOf(state: RunState, phase: Phase, conditions: Conditions): (Finding & { readonly told: string })[] {
  return (Object.keys(rows) as (keyof Conditions)[]).flatMap((name) => {
    const value = conditions[name];
    if (value === undefined) return [];
    const { holds, found } = (rows[name] as Row<typeof name>)(value as never, state, phase);
    return [{ holds, found, told: `${name} ${[value].flat().join(' ')} (${found})` }];
  });
}

function toldOf(findings: readonly { readonly told: string }[]): string {
  return findings.map(({ told }) => told).join(', ');
}

function finding(problem: string | undefined, otherwise: string): Finding {
  return { holds: problem === undefined, found: problem ?? otherwise };
}

function shown(paths: readonly string[]): string {
  const few = paths.slice(0, 5).join(', ');
  return paths.length > 5 ? `${few} and ${paths.length - 5} more` : few;
}
