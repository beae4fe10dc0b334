import type { EventPayload } from 'patchbay-sdk';
import { RunEngine } from '../../packages/host/src/runs/engine.ts';
import { requestRun } from '../../packages/host/src/runs/load.ts';
import type { RunState } from '../../packages/host/src/runs/state.ts';
import { type Gate, type Template, usualReviews } from '../../packages/host/src/runs/template/template.ts';
import type { TurnEnd, Workshop } from '../../packages/host/src/runs/workshop.ts';
import type { Service } from '../../packages/host/src/service.ts';

const result: EventPayload<'turn:submitted'>['result'] = {
  status: 'completed',
  summary: 'Fixed the off-by-one in the pager',
  decisions: [],
  objections: [],
  files_changed: ['src/pager.ts'],
  verification: { status: 'skipped', commands: [], machine_evidence: [] },
  artifact: null,
  proposed_next_role: null,
  cost: { input_tokens: 1200, output_tokens: 340, usd: 0.02 },
};

const end: TurnEnd = { result, error: null, exit_code: null, signal: null, timed_out: false };

/** A workshop that does nothing: whatever a run costs with it is the engine's own. */
export const idle: Workshop = {
  prepare: async () => ({ adapter: 'idle', bundle: { path: 'bundle', files: [], sha256: '' } }),
  work: async () => end,
  keep: async () => [],
  publish: async () => {},
  folder: async () => '/',
  close: async () => {},
};

/** A template of one phase with so many turns, one after the other. */
export function templateOf(turns: number, kind: Gate['approval']['kind'] = 'automatic'): Template {
  const developer = { name: 'developer', title: 'Developer', mandate: '', core: 'idle', with: {}, writes: ['**'] };
  const approval = { kind, quorum: 1, approvers: [], proposerMayApprove: true, expiresMs: null };
  const steps = Array.from({ length: turns }, (_, i) => {
    return [{ id: `build/developer.${i + 1}`, role: 'developer', reviewers: [], verify: [] }];
  });
  return {
    name: 'bench',
    description: '',
    roles: { developer: { ...developer, timeoutMs: 60_000, report: null } },
    phases: [{ name: 'build', steps, gate: 'build', next: null }],
    gates: { build: { name: 'build', checks: [], approval } },
    limits: { attempts: 3, runTimeoutMs: null, usd: null, tokens: null, parallel: 4 },
    reviews: usualReviews,
  };
}

/** Has a run carried out with the idle workshop, until its end or a gate. */
export async function runOnce({ ledger, emitter }: Service, template: Template): Promise<RunState> {
  const run_id = `run-${crypto.randomUUID()}`;
  await requestRun(ledger, { run_id, template, goal: 'Mend the pager', by: 'ada' });
  return new RunEngine(run_id, { ledger, emitter, workshop: idle }).advance();
}

/** Takes up all runs that wait, as a host does that finds them; they go on waiting. Gives how many there are. */
export async function takeUp({ ledger, emitter }: Service): Promise<number> {
  let found = 0;
  for await (const { run_id } of ledger.runs({ status: ['waiting'] })) {
    await new RunEngine(run_id, { ledger, emitter, workshop: idle }).advance();
    found += 1;
  }
  return found;
}

/** Has so many runs carried out, many at the same time. */
export async function runMany(service: Service, template: Template, count: number): Promise<void> {
  const atOnce = 100;
  for (let done = 0; done < count; done += atOnce) {
    const some = Math.min(atOnce, count - done);
    await Promise.all(Array.from({ length: some }, () => runOnce(service, template)));
    await service.rest();
  }
}
