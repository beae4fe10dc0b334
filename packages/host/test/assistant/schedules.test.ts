import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { Schedules, type SchedulesParts } from '../../src/assistant/schedules.ts';
import type { AssistantWorkspace, Schedule } from '../../src/config/assistant-settings.ts';
import { workspaceOf } from '../../src/config/workspace.ts';
import { type LedgerStore, openLedger } from '../../src/ledger/index.ts';

let dir: string;
let open: Schedules[];
let ledger: LedgerStore;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.setSystemTime('2026-03-01T12:00:00Z');
  dir = folder();
  ledger = await openLedger(join(dir, 'ledger.db'));
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  await ledger.close();
  vi.useRealTimers();
});

function workspace(name: string, schedule: Partial<Schedule>): AssistantWorkspace {
  const whole = workspaceOf(name, { schedule: '0 4 * * *', timezone: 'UTC', prompt: 'Look around' }, 'terminal');
  return { ...whole, schedule: { ...(whole.schedule as Schedule), ...schedule } };
}

async function schedules(workspaces: AssistantWorkspace[], more: Partial<SchedulesParts> = {}) {
  const fired: string[] = [];
  const failed: unknown[] = [];
  const made = new Schedules({
    workspaces,
    ledger,
    oldFile: join(dir, 'schedules.json'),
    fire: async ({ folder: name }, due) => void fired.push(`${name} ${due.toISOString()}`),
    wasFired: async () => false,
    isBusy: () => false,
    failed: (_, error) => failed.push(error),
    ...more,
  });
  open.push(made);
  await made.start();
  return { made, fired, failed };
}

/** Lets the clock go on, as it does where a host is at work. */
async function until(time: string): Promise<void> {
  await vi.advanceTimersByTimeAsync(Date.parse(time) - Date.now());
}

describe('a schedule', () => {
  it('gives the prompt at its times, each once', async () => {
    const { fired } = await schedules([workspace('a', {}), workspace('b', { cron: '*/30 * * * *' })]);
    await until('2026-03-01T13:10:00Z');
    expect(fired).toEqual(['b 2026-03-01T12:30:00.000Z', 'b 2026-03-01T13:00:00.000Z']);
    await until('2026-03-02T04:00:01Z');
    expect(fired.filter((one) => one.startsWith('a'))).toEqual(['a 2026-03-02T04:00:00.000Z']);
  });

  it('goes by its time zone, over a change of summer time', async () => {
    const { fired } = await schedules([workspace('a', { timezone: 'Europe/Berlin' })]);
    await until('2026-03-30T12:00:00Z');
    expect(fired.slice(0, 1)).toEqual(['a 2026-03-02T03:00:00.000Z']);
    expect(fired.slice(-2)).toEqual(['a 2026-03-29T02:00:00.000Z', 'a 2026-03-30T02:00:00.000Z']);
  });

  it('may have a field of seconds', async () => {
    const { fired } = await schedules([workspace('a', { cron: '*/20 * * * * *' })]);
    await until('2026-03-01T12:01:00Z');
    expect(fired).toHaveLength(3);
  });

  it('is skipped while the last prompt is worked on, unless it is to queue', async () => {
    const every = { cron: '*/30 * * * *' };
    const both = [workspace('skips', every), workspace('queues', { ...every, overlap: 'queue' })];
    const { fired } = await schedules(both, { isBusy: () => true });
    await until('2026-03-01T12:31:00Z');
    expect(fired).toEqual(['queues 2026-03-01T12:30:00.000Z']);
  });

  it('that cannot be given is told, and tried at its next time', async () => {
    let broken = true;
    const given: Date[] = [];
    const { failed } = await schedules([workspace('a', { cron: '*/30 * * * *' })], {
      fire: async (_, due) => {
        if (broken) throw new Error('disk full');
        given.push(due);
      },
    });
    await until('2026-03-01T12:31:00Z');
    broken = false;
    await until('2026-03-01T13:01:00Z');
    expect(failed).toHaveLength(1);
    expect(given.map(String)).toEqual([String(new Date('2026-03-01T13:00:00Z'))]);
  });
});

describe('what was due while no host was there', () => {
  it.each([
    ['skip', []],
    ['once', ['a 2026-03-03T04:00:00.000Z']],
  ] as const)('is, by %s', async (missed, expected) => {
    const { made } = await schedules([workspace('a', { missed })]);
    await made.close();
    vi.setSystemTime('2026-03-03T10:00:00Z');
    expect((await schedules([workspace('a', { missed })])).fired).toEqual(expected);
  });

  it('is given once only, however often a host starts', async () => {
    const given = new Set<string>();
    const parts = {
      fire: async (_: AssistantWorkspace, due: Date) => void given.add(due.toISOString()),
      wasFired: async (_: AssistantWorkspace, due: Date) => given.has(due.toISOString()),
    };
    const one = workspace('a', { missed: 'once' });
    await (await schedules([one], parts)).made.close();
    vi.setSystemTime('2026-03-02T10:00:00Z');
    await (await schedules([one], parts)).made.close();
    expect([...given]).toEqual(['2026-03-02T04:00:00.000Z']);
    await schedules([one], { ...parts, fire: async () => Promise.reject(new Error('given twice')) });
    expect([...given]).toHaveLength(1);
  });

  it('is nothing for a schedule that is new, or was changed since', async () => {
    const { made } = await schedules([workspace('a', { missed: 'once' })]);
    await made.close();
    vi.setSystemTime('2026-03-03T10:00:00Z');
    const { fired } = await schedules([
      workspace('a', { missed: 'once', cron: '0 5 * * *' }),
      workspace('b', { missed: 'once' }),
    ]);
    expect(fired).toEqual([]);
    expect(await ledger.note('schedules')).toMatchObject({ a: { since: '2026-03-03T10:00:00.000Z' } });
  });

  it('is made up for where only the file of an earlier version knows the schedule, which is taken over once', async () => {
    const file = join(dir, 'schedules.json');
    writeFileSync(file, JSON.stringify({ a: { schedule: '0 4 * * * UTC', since: '2026-02-27T00:00:00.000Z' } }));
    const { fired } = await schedules([workspace('a', { missed: 'once' })]);
    expect(fired).toEqual(['a 2026-03-01T04:00:00.000Z']);
    expect(existsSync(file)).toBe(false);
    expect(await ledger.note('schedules')).toMatchObject({ a: { since: '2026-02-27T00:00:00.000Z' } });
    writeFileSync(file, JSON.stringify({ a: { schedule: '0 4 * * * UTC', since: '2020-01-01T00:00:00.000Z' } }));
    await schedules([workspace('a', {})]);
    expect(await ledger.note('schedules')).toMatchObject({ a: { since: '2026-02-27T00:00:00.000Z' } });
  });

  it('counts as missed too where the machine slept', async () => {
    const { fired } = await schedules([workspace('skips', {}), workspace('once', { missed: 'once' })]);
    vi.setSystemTime('2026-03-04T09:00:00Z');
    await vi.advanceTimersByTimeAsync(61_000);
    expect(fired).toEqual(['once 2026-03-04T04:00:00.000Z']);
  });
});
