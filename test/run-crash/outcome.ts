import type { RunState } from 'patchbay-host';
import type { LedgerStore } from 'patchbay-host/ledger';

/** What a run came to, without times and ids, which are never the same. */
export interface Outcome {
  readonly state: object;
  /** Its steps; those of turns beside one another in no order, so sorted. */
  readonly steps: readonly string[];
  /** The keys of what the script was owed, and how each delivery stands. */
  readonly deliveries: readonly { readonly key: string; readonly event: string; readonly status: string }[];
  readonly verified: boolean;
}

/** Reads it from the ledger. */
export async function outcomeOf(ledger: LedgerStore, state: RunState): Promise<Outcome> {
  const { status, phases, turns, decisions, objections, advisories, gates, cost, reason } = state;
  const steps: string[] = [];
  for await (const { type, payload } of ledger.events({ run: state.run_id })) {
    const { turn_id, attempt } = payload;
    steps.push(turn_id === null ? type : `${type} ${turn_id}#${attempt}`);
  }
  const deliveries: Outcome['deliveries'][number][] = [];
  for await (const { key, event, status } of ledger.deliveries({ plugin: 'record' })) {
    deliveries.push({ key, event, status });
  }
  const { ok } = await ledger.verify();
  return {
    state: {
      status,
      reason,
      phases: phases.map(({ name }) => name),
      turns: turns.map((turn) => `${turn.turn_id}#${turn.attempt} ${turn.state}`).sort(),
      files: turns.map((turn) => `${turn.turn_id}: ${turn.result?.files_changed.join(', ')}`).sort(),
      decisions,
      objections,
      advisories,
      gates,
      cost,
    },
    steps: steps.sort(),
    deliveries,
    verified: ok,
  };
}
