import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHost } from 'patchbay-host';
import { type EventName, type EventPayload, sample } from 'patchbay-sdk';
import { type PaceEvent, paceEvents } from 'patchbay-sdk/pace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { Views } from '../../src/dialects/pace/views.ts';
import { emit, hearing } from './pace-fixture.ts';

type Seen = { readonly plugin: string; readonly event: string; readonly context: Record<string, unknown> };

const names = Object.keys(paceEvents) as PaceEvent[];
const ten = names.filter((name) => !paceEvents[name].shipped);

/** Writes down what it is told, and whether it could have changed it. */
const recorder = (name: string, events: readonly string[]) => `
import { appendFileSync } from 'node:fs';
import { HookBase } from 'patchbay-sdk/pace';
export class ${name} extends HookBase {
  events = ${JSON.stringify(events)};
  run(event, context) {
    const parts = [context, context.story_card, context.gate_report?.criteria_results].filter(Boolean);
    if (!parts.every(Object.isFrozen)) throw new Error('not frozen');
    // Slower than the day: what is only watched would come too late if nobody waited for it.
    if (event.startsWith('AFTER')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    appendFileSync('seen/all', JSON.stringify({ plugin: '${name}', event, context }) + '\\n');
  }
}
`;

/** A project with a recorder in a folder and one among the dependencies; its service; and what they saw. */
async function started(events: readonly string[]) {
  const dir = folder({
    'pace/pace.config.yaml': 'plugins: { dirs: [plugins], grants: { far: ["write:seen"] } }\n',
    'plugins/index.mjs': recorder('Near', events).replace("'seen/all'", 'new URL("../seen/all", import.meta.url)'),
    'package.json': JSON.stringify({ dependencies: { pack: '*' } }),
    'node_modules/pack/package.json': JSON.stringify({
      name: 'pack',
      version: '1.0.0',
      type: 'module',
      pace: { hooks: { far: './hook.js#Far' } },
    }),
    'node_modules/pack/hook.js': recorder('Far', events),
    'seen/.keep': '',
  });
  const { failures, onFailure } = hearing();
  const host = await openHost({ cwd: dir, version: '0.0.0', onFailure });
  onTestFinished(() => host.close());
  const service = await host.start();
  const file = join(dir, 'seen/all');
  const seen = async (): Promise<Seen[]> => {
    await service.rest();
    expect(failures).toEqual([]);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  const happen = <E extends EventName>(type: E, fields: Partial<EventPayload<E>>) => emit(service, type, fields);
  return { service, seen, emit: happen };
}

type Emit = Awaited<ReturnType<typeof started>>['emit'];
const { result } = sample('turn:submitted');

const story_card = { title: 'Pages', story: 'As a reader …', acceptance_criteria: ['pages count from one'] };
const handoff = { summary: 'done', files_changed: ['a.ts'] };
const gate = (gate_decision: string, hold_reason: string | null = null) => {
  const criteria_results = [{ criterion: 'pages count from one', result: 'PASS', evidence: 'test 1' }];
  return { criteria_results, blockers: [], deferred: [], gate_decision, hold_reason };
};
const review = (role: string, decision: string) => {
  return { findings: [], advisories: [], blockers: [], [`${role}_decision`]: decision, hold_reason: null };
};

async function turn(emit: Emit, role: string, attempt: number, report: Record<string, unknown> | null) {
  await emit('turn:dispatched', { role, attempt });
  await emit('turn:submitted', { role, attempt, result: { ...result, report } });
}

/** One HOLD by GATE, then all is well. */
async function day(emit: Emit) {
  await emit('run:started', { config_summary: { inputs: { day: 3, target: 'Pages' } } });
  await turn(emit, 'prime', 1, story_card);
  await turn(emit, 'forge', 1, handoff);
  await turn(emit, 'gate', 1, gate('HOLD', 'no test for pages'));
  await emit('turn:rejected', { role: 'forge', reason: 'no test for pages' });
  await turn(emit, 'forge', 2, handoff);
  await turn(emit, 'gate', 1, gate('SHIP'));
  await turn(emit, 'sentinel', 1, review('sentinel', 'ADVISORY'));
  await turn(emit, 'conduit', 1, review('conduit', 'SHIP'));
  await turn(emit, 'scribe', 1, null);
  await emit('run:completed', {});
}

const always = ['attempt', 'day', 'event', 'hold_reason', 'run_id', 'story_title'];

describe('the ten events', () => {
  it('come in the order of the day, in-process and isolated alike, with the documents there are by then', async () => {
    const { seen, emit } = await started(ten);
    await day(emit);
    const all = await seen();
    const of = (plugin: string) =>
      all.filter((one) => one.plugin === plugin).map(({ event, context }) => ({ event, context }));
    expect(of('Far')).toEqual(of('Near'));
    const built = ['story_card', 'handoff'];
    const gated = [...built, 'gate_report'];
    const secured = [...gated, 'sentinel_report'];
    expect(of('Near').map(({ event, context }) => [event, Object.keys(context).sort()])).toEqual(
      [
        ['BEFORE_DAY'],
        ['BEFORE_FORGE', 'story_card'],
        ['AFTER_FORGE', ...built],
        ['BEFORE_GATE', ...built],
        ['AFTER_GATE', ...gated],
        ['BEFORE_FORGE', ...gated],
        ['AFTER_FORGE', ...built],
        ['BEFORE_GATE', ...built],
        ['AFTER_GATE', ...gated],
        ['BEFORE_SENTINEL', ...gated],
        ['AFTER_SENTINEL', ...secured],
        ['BEFORE_CONDUIT', ...secured],
        ['AFTER_CONDUIT', ...secured, 'conduit_report'],
        ['AFTER_DAY', ...secured, 'conduit_report', 'day_decision'],
      ].map(([event, ...documents]) => [event, [...always, ...documents].sort()]),
    );
    expect(of('Near').map(({ context }) => [context['day'], context['attempt'], context['hold_reason']])).toEqual([
      [3, 1, null],
      [3, 1, null],
      [3, 1, null],
      [3, 1, null],
      [3, 1, 'no test for pages'],
      [3, 2, 'no test for pages'],
      ...Array.from({ length: 8 }, () => [3, 2, null]),
    ]);
    expect(of('Near')[4]?.context).toEqual({
      event: 'AFTER_GATE',
      run_id: 'run-9',
      day: 3,
      attempt: 1,
      story_title: 'Pages',
      hold_reason: 'no test for pages',
      story_card,
      handoff,
      gate_report: gate('HOLD', 'no test for pages'),
    });
    expect(of('Near').at(-1)?.context).toMatchObject({
      day_decision: 'SHIP',
      conduit_report: review('conduit', 'SHIP'),
    });
  });

  it('of a run of another template are none', async () => {
    const { seen, emit } = await started(ten);
    await day((type, fields) => emit(type, { ...fields, template: 'governed' } as never));
    expect(await seen()).toEqual([]);
  });

  it('end with one AFTER_DAY however the day ends, which says HOLD and why', async () => {
    const { seen, emit } = await started(['AFTER_DAY']);
    for (const end of ['run:held', 'run:failed', 'run:aborted'] as const) {
      await emit('run:started', { run_id: end, config_summary: {} });
      await emit(end, { run_id: end, reason: `because of ${end}` });
    }
    expect((await seen()).filter(({ plugin }) => plugin === 'Near').map(({ context }) => context)).toEqual(
      ['run:held', 'run:failed', 'run:aborted'].map((run_id) => ({
        event: 'AFTER_DAY',
        run_id,
        day: null,
        attempt: 1,
        story_title: null,
        hold_reason: `because of ${run_id}`,
        day_decision: 'HOLD',
      })),
    );
  });

  it('never refuse: a hook that throws is told, and the event happens', async () => {
    const dir = folder({
      'pace/pace.config.yaml': 'plugins: { dirs: [plugins] }\n',
      'plugins/index.mjs': `import { hook } from 'patchbay-sdk/pace';
        export const bad = hook(['BEFORE_DAY'], () => { throw new Error('no day today'); });
        export const veto = hook(['BEFORE_DAY'], () => ({ verdict: 'block', message: 'no' }));`,
    });
    const { failures, onFailure } = hearing();
    const host = await openHost({ cwd: dir, version: '0.0.0', onFailure });
    onTestFinished(() => host.close());
    await emit(await host.start(), 'run:started');
    expect(failures).toEqual([expect.stringContaining('no day today')]);
  });
});

it('the names that PACE shipped are views too: what passed, what was shipped and what was held', async () => {
  const { seen, emit } = await started(names.filter((name) => paceEvents[name].shipped));
  await day(emit);
  await emit('run:started', { run_id: 'run-10' });
  await emit('run:held', { run_id: 'run-10' });
  const near = (await seen()).filter(({ plugin }) => plugin === 'Near');
  expect(near.map(({ event }) => event)).toEqual([
    'pipeline_start',
    'day_start',
    'story_generated',
    'forge_complete',
    'forge_complete',
    'gate_pass',
    'sentinel_pass',
    'conduit_pass',
    'day_shipped',
    'pipeline_end',
    'pipeline_start',
    'day_start',
    'day_held',
    'pipeline_end',
  ]);
});

it('a day that is begun anew is told with what the one before came to', async () => {
  const { seen, emit } = await started(['BEFORE_FORGE']);
  await emit('run:started', { config_summary: { inputs: { day: 4 } } });
  await turn(emit, 'prime', 1, story_card);
  await emit('run:held', { reason: 'tried three times' });
  await emit('run:started', { run_id: 'run-10', resumes: 'run-9', config_summary: {} });
  await emit('turn:dispatched', { run_id: 'run-10', role: 'forge', attempt: 1 });
  const [{ context } = { context: {} }] = await seen();
  expect(context).toEqual({
    event: 'BEFORE_FORGE',
    run_id: 'run-10',
    day: 4,
    attempt: 1,
    story_title: 'Pages',
    hold_reason: 'tried three times',
    story_card,
  });
});

it('an agent that hands in no document is told with what its result says', async () => {
  const views = new Views();
  const submitted = (role: string, changes: Partial<typeof result>) =>
    views.of(
      `AFTER_${role.toUpperCase()}` as PaceEvent,
      sample('turn:submitted', { template: 'pace', role, result: { ...result, ...changes } }),
    );
  const objections = [{ id: 'OBJ-1', severity: 'high', statement: 'No test' }];
  expect((await submitted('gate', { status: 'rejected', summary: 'Not yet', objections }))?.context).toMatchObject({
    gate_report: { gate_decision: 'HOLD', hold_reason: 'Not yet', blockers: ['No test'], criteria_results: [] },
    hold_reason: 'Not yet',
  });
  expect((await submitted('sentinel', { status: 'advisory', objections }))?.context).toMatchObject({
    sentinel_report: { sentinel_decision: 'ADVISORY', advisories: ['No test'], blockers: [] },
    hold_reason: null,
  });
  expect((await submitted('forge', {}))?.context).toMatchObject({ handoff: { files_changed: ['src/pager.ts'] } });
});
