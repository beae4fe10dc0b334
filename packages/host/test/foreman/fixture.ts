import { expect, onTestFinished, vi } from 'vitest';
import type { LedgerStore } from '../../src/ledger/index.ts';
import { castVote } from '../../src/runs/decisions.ts';
import { Foreman, type ForemanParts } from '../../src/runs/foreman.ts';
import { requestRun } from '../../src/runs/load.ts';
import { Runs, type RunsParts } from '../../src/runs/runs.ts';
import type { Turn, TurnResult } from '../../src/runs/state.ts';
import type { Template } from '../../src/runs/template/template.ts';
import type { TurnEnd } from '../../src/runs/workshop.ts';
import { Pretend, result, stage } from '../runs/fixture.ts';

/** A workshop whose turns end when they are let. */
export class Held extends Pretend {
  readonly #let = new Map<string, () => void>();
  #most = 0;
  #now = 0;

  constructor() {
    super((turn, signal) => this.#wait(turn, signal));
  }

  /** How many turns were worked on at once, at the most. */
  get most(): number {
    return this.#most;
  }

  /** The runs whose turns are under way, in the order in which they began. */
  get underWay(): readonly string[] {
    return [...this.#let.keys()];
  }

  /** Lets the turn of a run end. */
  end(run_id: string): void {
    this.#let.get(run_id)?.();
  }

  async #wait({ dispatch }: Turn, signal: AbortSignal): Promise<TurnEnd | TurnResult> {
    const run_id = dispatch.run_id ?? '';
    this.#now += 1;
    this.#most = Math.max(this.#most, this.#now);
    const stopped = await new Promise<boolean>((resolve) => {
      if (signal.aborted) resolve(true);
      signal.addEventListener('abort', () => resolve(true), { once: true });
      this.#let.set(run_id, () => resolve(false));
    });
    this.#let.delete(run_id);
    this.#now -= 1;
    if (!stopped) return result();
    return { result: null, error: null, exit_code: null, signal: 'SIGTERM', timed_out: false } as TurnEnd;
  }
}

/** A ledger with runs, and what a foreman is made with. */
export async function site(workshop = new Pretend(), file?: string, more: Partial<RunsParts> = {}) {
  const staged = await stage(workshop, ...(file === undefined ? [] : [file]));
  const { ledger, emitter } = staged;
  const casts = { cores: [{ name: 'test' }] as never, coreOf: () => 'test' };
  const runs = new Runs({ ledger, emitter, workshop, approvers: () => ({}), ...casts, ...more });
  const hire = (how: Partial<ForemanParts> = {}) => {
    const peers = more.peers === undefined ? {} : { peers: more.peers };
    const foreman = new Foreman({ ledger, runs, ...peers, ...how });
    onTestFinished(() => foreman.close());
    foreman.start();
    return foreman;
  };
  const ask = (run_id: string, template: Template) =>
    requestRun(ledger, { run_id, template, goal: 'Make it work', by: 'ada' });
  const approve = (run_id: string, by = 'bob') =>
    castVote({ ledger, emitter }, run_id, { by, decision: 'approved', comment: null });
  return { ...staged, runs, hire, ask, approve };
}

/** Waits until a run has a status. */
export async function becomes(ledger: LedgerStore, run_id: string, status: string): Promise<void> {
  await soon(async () => expect((await ledger.run(run_id))?.status).toBe(status));
}

/** Waits until something holds. */
export function soon(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { timeout: 60_000, interval: 20 });
}
