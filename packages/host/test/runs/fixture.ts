import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Hooks, hooks, type TurnCost } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { openStore } from '../../../../test/store.ts';
import { Kernel } from '../../src/kernel/index.ts';
import type { LedgerStore } from '../../src/ledger/index.ts';
import { Emitter } from '../../src/outbound/emitter.ts';
import { RunEngine } from '../../src/runs/engine.ts';
import { requestRun } from '../../src/runs/load.ts';
import type { RunState, Turn, TurnResult } from '../../src/runs/state.ts';
import { type Conditions, type Gate, type Template, usualReviews } from '../../src/runs/template/template.ts';
import type { TurnEnd, Workshop } from '../../src/runs/workshop.ts';

const approval = { quorum: 1, approvers: [], proposerMayApprove: true, expiresMs: null };
export const automatic = (name: string): Gate => ({ name, checks: [], approval: { ...approval, kind: 'automatic' } });
export const human = (name: string, more: Partial<Gate['approval']> = {}): Gate => ({
  name,
  checks: [],
  approval: { ...approval, kind: 'human', ...more },
});

/** A gate that opens by itself under these conditions, else for people. */
export const byPolicy = (
  name: string,
  automaticIf: Conditions,
  more: Partial<Gate['approval']> = {},
  otherwise: 'human' | 'credentialed' = 'human',
): Gate => ({
  name,
  checks: [],
  approval: { ...approval, kind: 'policy', policy: { automaticIf, otherwise }, ...more },
});

const role = (name: string, runsOn: string[] | undefined) => ({
  ...(runsOn === undefined ? {} : { runsOn }),
  name,
  title: name,
  mandate: '',
  core: 'test',
  with: {},
  writes: ['**'],
  timeoutMs: 60_000,
  report: null,
});
const step = (phase: string, name: string, reviewers: string[] = []) => ({
  id: `${phase}/${name}`,
  role: name,
  reviewers,
  verify: [],
});

/** A template of phases, each with roles that work one after the other, or at the same time in a list. */
export function templateOf(
  phases: Record<string, (string | string[])[]>,
  {
    reviewers = [],
    gates = {},
    limits = {},
    reviews = {},
    runsOn = {},
  }: {
    reviewers?: string[];
    gates?: Record<string, Gate>;
    limits?: Partial<Template['limits']>;
    reviews?: Partial<Template['reviews']>;
    runsOn?: Record<string, string[]>;
  } = {},
): Template {
  const names = Object.keys(phases);
  const roles = [...new Set([...Object.values(phases).flat(2), ...reviewers])];
  return {
    name: 'test',
    description: '',
    roles: Object.fromEntries(roles.map((name) => [name, role(name, runsOn[name])])),
    phases: names.map((name, i) => ({
      name,
      steps: (phases[name] ?? []).map((group) => [group].flat().map((one) => step(name, one, reviewers))),
      gate: name,
      next: names[i + 1] ?? null,
    })),
    gates: Object.fromEntries(names.map((name) => [name, gates[name] ?? automatic(name)])),
    limits: { attempts: 3, runTimeoutMs: null, usd: null, tokens: null, parallel: 4, ...limits },
    reviews: { ...usualReviews, ...reviews },
  };
}

export const result = (changes: Partial<TurnResult> = {}): TurnResult => ({
  status: 'completed',
  summary: 'done',
  decisions: [],
  objections: [],
  files_changed: [],
  verification: { status: 'skipped', commands: [], machine_evidence: [] },
  artifact: null,
  proposed_next_role: null,
  cost: { input_tokens: 1, output_tokens: 1, usd: 0.01 },
  ...changes,
});

const nothing: TurnEnd = { result: null, error: null, exit_code: null, signal: null, timed_out: false };
export const failing = (message: string): TurnEnd => ({ ...nothing, error: { code: 'TEST', message }, exit_code: 1 });

/** What a turn comes to. */
type Play = (
  turn: Turn,
  signal: AbortSignal,
  spent: (cost: TurnCost) => void,
) => TurnEnd | TurnResult | Promise<TurnEnd | TurnResult>;

/** A workshop without files: what each turn comes to is told by a function. */
export class Pretend implements Workshop {
  readonly worked: string[] = [];
  readonly kept: string[] = [];
  readonly #work: Play;

  constructor(work: Play = (turn) => result({ status: turn.reviews === null ? 'completed' : 'approved' })) {
    this.#work = work;
  }

  async prepare() {
    return { adapter: 'test', bundle: { path: 'bundle', files: [], sha256: '' } };
  }
  async work(_: RunState, turn: Turn, signal: AbortSignal, spent: (cost: TurnCost) => void): Promise<TurnEnd> {
    this.worked.push(`${turn.turn_id}#${turn.attempt}`);
    const end = await this.#work(turn, signal, spent);
    return 'error' in end ? end : { ...nothing, result: end };
  }
  async keep(_: RunState, { turn_id, attempt }: Turn) {
    this.kept.push(`${turn_id}#${attempt}`);
    return [];
  }
  async publish() {}
  async folder() {
    return tmpdir();
  }
  async close() {}
}

/** A ledger with what an engine needs. */
export async function stage(workshop: Workshop = new Pretend(), file = join(temporary(), 'ledger.db')) {
  const kernel = new Kernel<Hooks>(hooks);
  const ledger = await openStore(file);
  onTestFinished(() => ledger.close());
  const emitter = new Emitter(kernel, ledger, () => ({
    version: null,
    digest: null,
    hide: (value) => value,
    rights: null,
  }));
  const parts = { ledger, emitter, workshop };
  const run = async (template: Template, run_id = 'run-1') => {
    await requestRun(ledger, { run_id, template, goal: 'Make it work', by: 'ada' });
    return new RunEngine(run_id, parts).advance();
  };
  return {
    kernel,
    ledger,
    emitter,
    parts,
    run,
    file,
    resume: (run_id = 'run-1') => new RunEngine(run_id, parts).advance(),
  };
}

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'runs-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** The steps of a run, in short. */
export async function story(ledger: LedgerStore, run_id = 'run-1'): Promise<string[]> {
  const told: string[] = [];
  for await (const { type, payload } of ledger.events({ run: run_id })) {
    const { turn_id, attempt } = payload;
    told.push(turn_id === null ? type : `${type} ${turn_id}#${attempt}`);
  }
  return told;
}
