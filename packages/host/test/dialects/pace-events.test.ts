import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHost } from 'patchbay-host';
import { type AnyPlugin, definePlugin, type TurnWork } from 'patchbay-sdk';
import { type PaceEvent, paceEvents, paceSample } from 'patchbay-sdk/pace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { requestDay } from '../../src/day/index.ts';
import { installPlugin } from '../../src/install/index.ts';
import { hearing } from './pace-fixture.ts';

const ten = (Object.keys(paceEvents) as PaceEvent[]).filter((name) => !paceEvents[name].shipped);
const samples = paceSample('AFTER_CONDUIT');

/** What the reviewers decide, each time that they are asked: SHIP when nothing is left. */
type Decisions = Partial<Record<'gate' | 'sentinel' | 'conduit', string[]>>;

/** A core that plays all roles at once, by hand. */
function player(decisions: Decisions): AnyPlugin {
  const reports: Record<string, () => unknown> = {
    prime: () => samples.story_card,
    forge: () => ({ ...samples.handoff, files_changed: [] }),
    gate: () => reviewed('gate'),
    sentinel: () => reviewed('sentinel'),
    conduit: () => reviewed('conduit'),
  };
  const reviewed = (role: 'gate' | 'sentinel' | 'conduit') => {
    const decision = decisions[role]?.shift() ?? 'SHIP';
    if (decision === 'CRASH') throw new Error(`${role} fell over`);
    const hold_reason = decision === 'SHIP' ? '' : `${role} says ${decision}`;
    return { ...samples[`${role}_report`], [`${role}_decision`]: decision, hold_reason };
  };
  const run = async ({ role, result_file }: TurnWork) => {
    const report = reports[role]?.() ?? null;
    writeFileSync(result_file, JSON.stringify({ summary: `${role} is done`, report }));
  };
  return definePlugin({ name: 'player', version: '1.0.0', provides: { agentCore: () => ({ name: 'player', run }) } });
}

const recorder = (name: string, file: string) => `
import { appendFileSync } from 'node:fs';
import { HookBase } from 'patchbay-sdk/pace';
export class ${name} extends HookBase {
  events = ${JSON.stringify(ten)};
  run(event, context) {
    appendFileSync(${file}, JSON.stringify({ by: '${name}', event, context }) + '\\n');
  }
}
`;

interface Seen {
  readonly by: string;
  readonly event: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Carries out the first day of a plan with these decisions, before one plugin or two. */
async function day(decisions: Decisions, plugins: readonly ('folder' | 'package')[]) {
  const core = '{ core: player }';
  const dir = folder({
    'patchbay.yaml': `runs: { core: player, roles: { gate: ${core}, sentinel: ${core}, conduit: ${core} } }\n`,
    'pace/pace.config.yaml': plugins.includes('folder') ? 'plugins: { dirs: [plugins/] }\n' : '',
    'pace/plan.yaml': 'days:\n  - day: 1\n    target: Pages are counted from one\n',
    'plugins/pace_plugin.mjs': recorder('Local', "new URL('../seen/all', import.meta.url)"),
    'source/package.json': JSON.stringify({
      name: 'recorder',
      version: '1.0.0',
      type: 'module',
      pace: { hooks: { zz_installed: './hook.js#Installed' } },
    }),
    'source/hook.js': recorder('Installed', "'seen/all'"),
    'seen/.keep': '',
  });
  if (plugins.includes('package')) await installPlugin(join(dir, 'source'), { cwd: dir, grants: ['write:seen'] });
  const { failures, onFailure } = hearing();
  const host = await openHost({ cwd: dir, version: '0.0.0', builtins: [player(decisions)], onFailure });
  onTestFinished(() => host.close());
  const service = await host.start();
  const { project } = host;
  if (project === undefined) throw new Error('there is no project');
  const again = () => requestDay({ project, ...service }, { day: 1, by: 'pat' });
  const asked = await again();
  const { status } = await service.runs.advance(asked.kind === 'none' ? '' : asked.run_id);
  await service.rest();
  expect(failures).toEqual([]);
  const seen = (): Seen[] => {
    const text = existsSync(join(dir, 'seen/all')) ? readFileSync(join(dir, 'seen/all'), 'utf8') : '';
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  return { status, seen, again, service };
}

const always = ['attempt', 'day', 'event', 'hold_reason', 'run_id', 'story_title'];
const built = ['story_card', 'handoff'];
const gated = [...built, 'gate_report'];
const secured = [...gated, 'sentinel_report'];
const all = [...secured, 'conduit_report'];
const building = [
  ['AFTER_FORGE', ...built],
  ['BEFORE_GATE', ...built],
  ['AFTER_GATE', ...gated],
];
const passing = [
  ...building,
  ['BEFORE_SENTINEL', ...gated],
  ['AFTER_SENTINEL', ...secured],
  ['BEFORE_CONDUIT', ...secured],
  ['AFTER_CONDUIT', ...all],
];

/** The document's table, for three days: which events there are, in which order, and what they tell. */
const days = {
  shipped: {
    decisions: {},
    status: 'completed',
    events: [['BEFORE_DAY'], ['BEFORE_FORGE', 'story_card'], ...passing, ['AFTER_DAY', ...all, 'day_decision']],
    ends: { day_decision: 'SHIP', hold_reason: null, attempt: 1 },
  },
  held: {
    decisions: { gate: ['HOLD', 'HOLD', 'HOLD'] },
    status: 'held',
    events: [
      ['BEFORE_DAY'],
      ['BEFORE_FORGE', 'story_card'],
      ...building,
      ['BEFORE_FORGE', ...gated],
      ...building,
      ['BEFORE_FORGE', ...gated],
      ...building,
      ['AFTER_DAY', ...gated, 'day_decision'],
    ],
    ends: { day_decision: 'HOLD', hold_reason: 'gate says HOLD', attempt: 3 },
  },
  retried: {
    decisions: { gate: ['CRASH'], sentinel: ['ADVISORY', 'ADVISORY'] },
    status: 'completed',
    events: [
      ['BEFORE_DAY'],
      ['BEFORE_FORGE', 'story_card'],
      ...building,
      ['BEFORE_FORGE', ...gated],
      ...passing,
      ['BEFORE_FORGE', ...all],
      ...passing,
      ['AFTER_DAY', ...all, 'day_decision'],
    ],
    ends: { day_decision: 'SHIP', hold_reason: null, attempt: 3 },
  },
} satisfies Record<string, { decisions: Decisions; status: string; events: string[][]; ends: object }>;

describe.each(Object.entries(days))('a day that is %s', (_, { decisions, status, events, ends }) => {
  const expected = events.map(([event, ...documents]) => [event, [...always, ...documents].sort()]);
  const told = (seen: readonly Seen[]) => seen.map(({ event, context }) => [event, Object.keys(context).sort()]);

  it.each([['folder'], ['package']] as const)('fires its events, in order, for a plugin in a %s', async (place) => {
    const { status: came, seen } = await day(structuredClone(decisions), [place]);
    expect(came).toBe(status);
    expect(told(seen())).toEqual(expected);
    expect(seen().at(-1)?.context).toMatchObject(ends);
    for (const { event, context } of seen()) {
      expect([context['event'], context['day']]).toEqual([event, 1]);
      expect(context['story_title']).toBe(event === 'BEFORE_DAY' ? null : samples.story_title);
    }
  });

  it('fires each of them for both, the installed one first', async () => {
    const { seen } = await day(structuredClone(decisions), ['folder', 'package']);
    const twice = expected.flatMap((one) => [one, one]);
    expect(told(seen())).toEqual(twice);
    expect(seen().map(({ by }) => by)).toEqual(expected.flatMap(() => ['Installed', 'Local']));
  });
});

it('FORGE is told why it was sent back, once for each attempt', async () => {
  const { seen } = await day({ gate: ['HOLD'], sentinel: ['ADVISORY'] }, ['folder']);
  const attempts = seen().filter(({ event }) => event === 'BEFORE_FORGE');
  expect(attempts.map(({ context }) => [context['attempt'], context['hold_reason']])).toEqual([
    [1, null],
    [2, 'gate says HOLD'],
    [3, expect.stringContaining('ADVISORY')],
  ]);
});

it('a day that is shipped fires nothing when it is wanted again', async () => {
  const { seen, again, service } = await day({}, ['folder']);
  const before = seen().length;
  expect(await again()).toMatchObject({ kind: 'shipped', day: 1 });
  await service.rest();
  expect(seen()).toHaveLength(before);
});
