import { describe, expect, it } from 'vitest';
import { RunEngine } from '../../src/runs/engine.ts';
import { lackingWith, neededBy, unlabelled } from '../../src/runs/labels.ts';
import { restOf } from '../../src/runs/rest.ts';
import type { RunState } from '../../src/runs/state.ts';
import { readTemplate } from '../../src/runs/template/read.ts';
import type { Role } from '../../src/runs/template/template.ts';
import { Pretend, result, stage, story, templateOf } from './fixture.ts';

const saysNothing = { runsOn: {} };
const host = (...labels: string[]) => lackingWith(labels, saysNothing);
const restOn = (state: RunState, ...labels: string[]) => restOf(state, new Date(), host(...labels));

/** Two hosts with labels and workshops of their own, on one ledger. */
async function hosts(first: string[], second: string[]) {
  const { run, parts, file } = await stage();
  const other = await stage(new Pretend(), file);
  const workshops = [new Pretend(), new Pretend()] as const;
  const made = [parts, other.parts].map((one, i) => ({
    ...one,
    workshop: workshops[i] as Pretend,
    lacks: host(...(i === 0 ? first : second)),
  }));
  const advance = (i: number) => new RunEngine('run-1', made[i] as (typeof made)[0]).advance();
  return { run, advance, worked: () => workshops.map((one) => one.worked), ledger: parts.ledger, parts };
}

describe('a role that runs on hosts with labels', () => {
  it('says so as a text or as a list, in the template', () => {
    const read = (runsOn: string) =>
      readTemplate(`name: t\nroles: { a: ${runsOn} }\nphases: [{ name: p, steps: [{ role: a }] }]\n`, 't.yaml').roles[
        'a'
      ];
    expect(read('{ runs-on: gpu }')?.runsOn).toEqual(['gpu']);
    expect(read('{ runs-on: [gpu, macos.15] }')?.runsOn).toEqual(['gpu', 'macos.15']);
    expect(read('{}')).not.toHaveProperty('runsOn');
  });

  it('runs where the project says, rather than the template, unless it was cast for this run', () => {
    const role = templateOf({ p: ['a'] }, { runsOn: { a: ['gpu'] } }).roles['a'] as Role;
    expect(neededBy(role, saysNothing)).toEqual(['gpu']);
    expect(neededBy(role, { runsOn: { a: ['macos'], b: ['x'] } })).toEqual(['macos']);
    expect(neededBy(role, { runsOn: { a: [] } })).toEqual([]);
    expect(neededBy({ ...role, isCast: true }, { runsOn: { a: ['macos'] } })).toEqual(['gpu']);
  });

  it('needs a host that has all of them', () => {
    const role = templateOf({ p: ['a'] }, { runsOn: { a: ['gpu', 'linux'] } }).roles['a'] as Role;
    expect(host('linux', 'gpu', 'more')(role)).toEqual([]);
    expect(host('linux')(role)).toEqual(['gpu']);
    expect(host()(role)).toEqual(['gpu', 'linux']);
  });
});

describe('a run with such roles', () => {
  const runsOn = { trainer: ['gpu'], packer: ['macos'] };

  it('goes as far as a host can play it, and on from there on another', async () => {
    const { parts, ledger, run, advance, worked } = await hosts([], ['gpu']);
    Object.assign(parts, { lacks: host() });
    const template = templateOf({ plan: ['planner'], train: ['trainer'], ship: ['planner'] }, { runsOn });
    const state = await run(template);
    expect([state.status, state.phase]).toEqual(['active', 'train']);
    const rest = restOn(state);
    expect(rest).toMatchObject({ at: 'elsewhere', lacking: [{ role: 'trainer', labels: ['gpu'] }] });
    expect(restOn(state, 'gpu')).toEqual({ at: 'work' });
    expect((await advance(0)).head).toBe(state.head);
    expect((await advance(1)).status).toBe('completed');
    expect(worked()).toEqual([[], ['train.trainer#1', 'ship.planner#1']]);
    expect((await story(ledger)).at(-1)).toBe('run:completed');
  });

  it('has those of a parallel group played each on its host, once', async () => {
    const { parts, run, advance, worked } = await hosts(['gpu'], ['macos']);
    Object.assign(parts, { lacks: host('nothing that helps') });
    const template = templateOf({ build: [['trainer', 'packer']], ship: ['planner'] }, { runsOn });
    const begun = await run(template);
    expect(restOn(begun)).toMatchObject({ at: 'elsewhere', lacking: [{ role: 'trainer' }, { role: 'packer' }] });
    const trained = await advance(0);
    expect(trained.turns.map(({ role, state }) => [role, state])).toEqual([['trainer', 'accepted']]);
    expect(restOn(trained, 'gpu')).toMatchObject({ at: 'elsewhere', lacking: [{ role: 'packer', labels: ['macos'] }] });
    expect((await advance(1)).status).toBe('completed');
    expect(worked()).toEqual([['build.trainer#1'], ['build.packer#1', 'ship.planner#1']]);
  });

  it('has both played at the same time where two hosts carry it on at the same time', async () => {
    const { run, advance, worked, ledger, parts } = await hosts(['gpu'], ['macos']);
    Object.assign(parts, { lacks: host() });
    await run(templateOf({ build: [['trainer', 'packer']] }, { runsOn }));
    await Promise.all([advance(0), advance(1)]);
    // Whoever was first may have left before the other was done.
    for (const i of [0, 1]) await advance(i);
    expect(worked()).toEqual([['build.trainer#1'], ['build.packer#1']]);
    const told = await story(ledger);
    expect(told.filter((one) => one.startsWith('turn:accepted'))).toHaveLength(2);
    expect(told.at(-1)).toBe('run:completed');
  });

  it('is judged where its reviewer runs', async () => {
    const { parts, run, advance, worked } = await hosts([], ['gpu']);
    Object.assign(parts, { lacks: host() });
    const template = templateOf({ build: ['planner'] }, { reviewers: ['judge'], runsOn: { judge: ['gpu'] } });
    expect(restOn(await run(template))).toMatchObject({ at: 'elsewhere', lacking: [{ role: 'judge' }] });
    expect((await advance(1)).status).toBe('completed');
    expect(worked()[1]).toEqual(['build.planner.1.judge#1']);
  });

  it('leaves a turn to its hosts that one of them had begun', async () => {
    const stopped = new Pretend(
      (_, signal) => new Promise((end) => signal.addEventListener('abort', () => end(nothing))),
    );
    const nothing = { result: null, error: null, exit_code: null, signal: 'SIGTERM', timed_out: false } as const;
    const { parts, run, file } = await stage();
    Object.assign(parts, { lacks: host() });
    await run(templateOf({ build: ['trainer'] }, { runsOn }));
    const stop = new AbortController();
    const first = new RunEngine('run-1', { ...parts, workshop: stopped, lacks: host('gpu') });
    const done = first.advance(stop.signal);
    await expect.poll(() => stopped.worked, { timeout: 60_000 }).toHaveLength(1);
    stop.abort();
    await done;
    const other = await stage(new Pretend(), file);
    const idle = new Pretend(() => result());
    const state = await new RunEngine('run-1', { ...other.parts, workshop: idle, lacks: host() }).advance();
    expect([idle.worked, state.turns[0]?.state]).toEqual([[], 'dispatched']);
    expect((await new RunEngine('run-1', { ...other.parts, lacks: host('gpu') }).advance()).status).toBe('completed');
  });

  it('is held by any host when it has taken too long', async () => {
    const { parts, run, resume } = await stage();
    Object.assign(parts, { lacks: host() });
    const state = await run(templateOf({ build: ['trainer'] }, { runsOn, limits: { runTimeoutMs: 200 } }));
    const rest = restOn(state);
    expect(rest).toMatchObject({ at: 'elsewhere', until: new Date(Date.parse(state.started_at) + 201) });
    await expect.poll(async () => (await resume()).status, { timeout: 60_000 }).toBe('held');
  });

  it('tells what it waits for', () => {
    const lacking = [
      { role: 'trainer', labels: ['gpu', 'linux'] },
      { role: 'packer', labels: ['macos'] },
    ];
    expect(unlabelled('run-1', lacking)).toMatchObject({
      code: 'HOST_LABELS',
      run: 'run-1',
      message:
        'role "trainer" waits for a host with label gpu and linux; role "packer" waits for a host with label macos',
    });
  });
});
