import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerStore } from '../../packages/host/src/ledger/index.ts';
import type { Runs } from '../../packages/host/src/runs/runs.ts';
import type { Template } from '../../packages/host/src/runs/template/template.ts';
import type { Member } from './member.ts';

/** Where people are. */
export interface Desk {
  readonly runs: Runs;
  readonly ledger: LedgerStore;
  readonly template: Template;
  readonly members: readonly Member[];
}

/** How long somebody waits before they try to approve again what has not moved. */
const patienceMs = 5000;

/** People, who ask for runs and approve whatever waits, whether or not the hosts and the database are there. */
export class People {
  /** What they were told that was not what they had wanted, and how often. */
  readonly told = new Map<string, number>();
  readonly #desk: Desk;
  readonly #tried = new Map<string, number>();
  readonly #stopping = new AbortController();
  #ways = 0;
  #busy: Promise<void> = Promise.resolve();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Asks for runs by these ids; again, until that is written down. */
  async ask(ids: readonly string[]): Promise<void> {
    const { runs, template } = this.#desk;
    for (const run_id of ids) {
      while (!(await this.#try('request', () => runs.request({ run_id, template, goal: run_id, by: 'ada' }))))
        await sleep(500);
    }
  }

  /** Begins to approve. */
  start(): void {
    this.#busy = this.#approveAll();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#busy;
  }

  async #approveAll(): Promise<void> {
    const under = new Set<Promise<unknown>>();
    while (!this.#stopping.signal.aborted) {
      await this.#try('look', async () => {
        for await (const { run_id } of this.#desk.ledger.runs({ status: ['waiting'] })) {
          if ((this.#tried.get(run_id) ?? 0) > Date.now() - patienceMs) continue;
          this.#tried.set(run_id, Date.now());
          const done = this.#approve(run_id).finally(() => under.delete(done));
          under.add(done);
        }
      });
      await sleep(250);
    }
    await Promise.all(under);
  }

  /** Mostly through one of the hosts, sometimes beside them, now and then by the command, on the machine of a host. */
  #approve(run_id: string): Promise<boolean> {
    const { members, runs } = this.#desk;
    const way = this.#ways++;
    const by = 'bob';
    if (way % 5 === 4) return this.#try('beside', () => runs.vote(run_id, { by, decision: 'approved', comment: null }));
    const member = members[way % members.length] as Member;
    if (way % 25 === 5) return this.#try('command', () => member.command('approve', run_id, '--by', by));
    return this.#try('host', () => member.ask(`/api/v1/runs/${run_id}/approve`, { by }));
  }

  async #try(how: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      const told = /"code":"(\w+)"|^error (\w+):/m.exec(message);
      const what = `${how}: ${typeof code === 'string' ? code : (told?.[1] ?? told?.[2] ?? message)}`;
      this.told.set(what, (this.told.get(what) ?? 0) + 1);
      return false;
    }
  }
}
