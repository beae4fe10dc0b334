import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { bin, cleanEnv, expectError, expectJsonError, patchbay } from './command.ts';

let original: string;
let dir: string;

/** A project in which the demo has happened; each test has a copy. */
beforeAll(() => {
  original = mkdtempSync(join(tmpdir(), 'patchbay-test-'));
  expect(patchbay(['demo', '--dir', join(original, 'sample')]).status).toBe(0);
});
afterAll(() => rmSync(original, { recursive: true, force: true }));
beforeEach(() => {
  dir = folder();
  cpSync(join(original, 'sample'), dir, { recursive: true });
});

const json = <T>(...args: string[]): T => JSON.parse(patchbay([...args, '--json'], { cwd: dir }).stdout) as T;
const lines = (...args: string[]): Record<string, unknown>[] =>
  patchbay([...args, '--json'], { cwd: dir })
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('events', () => {
  it('prints what happened, one JSON document in a line', () => {
    const events = lines('events');
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map(({ type }) => type)).toContain('run:completed');
    expect(Object.keys(events[0] ?? {})).toEqual([
      'seq',
      'id',
      'type',
      'at',
      'run_id',
      'turn_id',
      'role',
      'phase',
      'payload',
      'hash',
    ]);
  });

  it('prints a line for people', () => {
    const { stdout, status } = patchbay(['events', '--type', 'turn:accepted'], { cwd: dir });
    expect(stdout).toMatch(/^(?: +\d+ {2}\d{4}-\S+Z {2}turn:accepted +run-\S+ {2}\S+ .*\n)+$/);
    expect(status).toBe(0);
  });

  it('can be narrowed by run, kind, time and count', () => {
    const [{ run_id = '' } = {}] = json<{ run_id: string }[]>('status');
    expect(lines('events', '--type', 'gate:*', '--run', run_id).map(({ type }) => type)).toEqual([
      'gate:pending',
      'gate:transition',
      'gate:pending',
      'gate:transition',
      'gate:pending',
      'gate:completion',
    ]);
    expect(lines('events', '--run', 'nobody')).toEqual([]);
    expect(lines('events', '--until', '2000-01-01')).toEqual([]);
    expect(lines('events', '--limit', '2').map(({ type }) => type)).toEqual(
      lines('events')
        .slice(-2)
        .map(({ type }) => type),
    );
  });

  it('goes on with what happens in another process, until it is interrupted', async () => {
    const child = spawn(process.execPath, [bin, 'events', '--follow', '--json'], { cwd: dir, env: cleanEnv() });
    const seen: number[] = [];
    const count = lines('events').length;
    const [{ id = '' } = {}] = json<{ id: string }[]>('deliveries', '--plugin', 'announce');
    const reader = createInterface(child.stdout);
    for await (const line of reader) {
      seen.push((JSON.parse(line) as { seq: number }).seq);
      if (seen.length === count) patchbay(['plugin', 'disable', 'announce'], { cwd: dir });
      if (seen.length === count) patchbay(['deliveries', 'replay', id], { cwd: dir });
      if (seen.length > count) break;
    }
    child.kill('SIGINT');
    const [status] = await once(child, 'exit');
    expect(seen).toEqual(Array.from({ length: count + 1 }, (_, i) => i + 1));
    expect(status).toBe(130);
  });

  it('prints nothing where nothing has happened, and an error where there is no project', () => {
    expect(patchbay(['events', '--json'], { cwd: folder({ 'patchbay.yaml': '' }) })).toMatchObject({
      stdout: '',
      status: 0,
    });
    expectError(patchbay(['events'], { cwd: folder() }), 2, 'PROJECT_MISSING', /no project/);
    expectError(patchbay(['events', '--since', 'soon'], { cwd: dir }), 2, 'USAGE', /--since soon: not a time/);
    expectError(patchbay(['events', '--limit', '-3'], { cwd: dir }), 2, 'USAGE', /--limit/);
  });
});

describe('ledger', () => {
  it('verify finds it unchanged, with its head', () => {
    const events = lines('events');
    expect(json('ledger', 'verify')).toEqual({ ok: true, events: events.length, head: events.at(-1)?.['hash'] });
  });

  it('verify finds what was changed, and where', () => {
    const db = new DatabaseSync(join(dir, '.patchbay/ledger.db'));
    db.exec(`UPDATE events SET payload = replace(payload, 'tests', 'rests') WHERE seq = 4`);
    db.close();
    const { stdout, status } = patchbay(['ledger', 'verify', '--json'], { cwd: dir });
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, events: 3, broken_at: 4 });
    expect(status).toBe(1);
    expect(patchbay(['ledger', 'verify'], { cwd: dir }).stdout).toMatch(/event 4 is not as it was written/);
  });

  it('prune removes the oldest, and what is left verifies', () => {
    const events = lines('events');
    // Not beyond what is still owed: the hostile plugin is paused, and gets the rest later.
    const owing = json<{ seq: number; status: string }[]>('deliveries').filter(({ status }) => status === 'owed');
    const gone = Math.min(events.length, ...owing.map(({ seq }) => seq - 1));
    expect(gone).toBeGreaterThan(0);
    expect(json('ledger', 'prune', '--before', '2100-01-01')).toEqual({ events: gone });
    expect(json('ledger', 'verify')).toMatchObject({ ok: true, events: events.length - gone });
    expectError(patchbay(['ledger', 'prune'], { cwd: dir }), 2, 'USAGE', /--before/);
  });
});

describe('deliveries', () => {
  it('lists each handler called for each event', () => {
    const all = json<Record<string, unknown>[]>('deliveries');
    expect(all.find(({ plugin }) => plugin === 'announce')).toMatchObject({
      event: 'turn:accepted',
      handler: './hooks/announce.sh',
      status: 'ok',
      attempts: 1,
      exit_code: 0,
      http_status: null,
      verdict: 'ok',
      duration_ms: expect.any(Number),
      plugin_version: '1.0.0',
      plugin_digest: expect.stringMatching(/^sha512-/),
    });
  });

  it('can be narrowed by plugin, event and failure', () => {
    const failed = json<Record<string, unknown>[]>('deliveries', '--failed');
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['failed']));
    const hostile = json<Record<string, unknown>[]>('deliveries', '--plugin', 'hostile', '--event', 'turn:*');
    expect(hostile.every(({ plugin }) => plugin === 'hostile')).toBe(true);
    expect(patchbay(['deliveries', '--failed'], { cwd: dir }).stdout).toMatch(
      /hostile .* failed .* did not answer within/,
    );
  });

  it('replay makes one again, under the same key', () => {
    const told = () => readFileSync(join(dir, '.patchbay/CHANGES.txt'), 'utf8').split('\n').length;
    const before = told();
    const [first] = json<{ id: string; key: string }[]>('deliveries', '--plugin', 'announce');
    expect(json('deliveries', 'replay', first?.id ?? '')).toMatchObject({
      id: first?.id,
      key: first?.key,
      status: 'ok',
    });
    expect(told()).toBe(before + 1);
  });

  it('replay says that it failed again, and that there is no such delivery', () => {
    const [first] = json<{ id: string }[]>('deliveries', '--plugin', 'hostile', '--event', 'turn:accepted');
    const { status, stdout } = patchbay(['deliveries', 'replay', first?.id ?? ''], { cwd: dir });
    expect([status, stdout]).toEqual([1, expect.stringMatching(/failed, plugin "hostile"/)]);
    for (const id of ['999.1', 'x', '1.1; DROP TABLE events']) {
      expectJsonError(
        patchbay(['deliveries', 'replay', id, '--json'], { cwd: dir }),
        2,
        'DELIVERY_UNKNOWN',
        /no delivery/,
      );
    }
  });

  it('of a removed plugin that are still owed are cancelled', () => {
    const [first] = json<{ id: string }[]>('deliveries', '--plugin', 'announce');
    patchbay(['plugin', 'disable', 'announce'], { cwd: dir });
    expect(json('deliveries', 'replay', first?.id ?? '')).toMatchObject({ status: 'owed' });
    expect(json('plugin', 'remove', 'announce')).toEqual({ name: 'announce', cancelled: 1 });
    const cancelled = { id: first?.id, status: 'cancelled', message: 'the plugin was removed' };
    expect(json('deliveries', '--plugin', 'announce')).toContainEqual(expect.objectContaining(cancelled));
  });
});

describe('hooks test', () => {
  it('calls the handlers of a plugin, shows what they print, and writes nothing down', () => {
    const before = lines('events').length;
    const { stdout, stderr, status } = patchbay(['hooks', 'test', 'announce', 'turn:accepted'], { cwd: dir });
    expect(stderr).toBe('developer finished turn-2\n');
    expect(stdout).toMatch(/^\.\/hooks\/announce\.sh {2}ok {2}[\d.]+ ms\n$/);
    expect([status, lines('events').length]).toEqual([0, before]);
  });

  it('takes fields of the payload from a file', () => {
    writeFileSync(join(dir, 'payload.json'), '{"role":"reviewer"}');
    const { stderr } = patchbay(['hooks', 'test', 'announce', 'turn:accepted', '--payload', 'payload.json'], {
      cwd: dir,
    });
    expect(stderr).toBe('reviewer finished turn-2\n');
  });

  it('fails where a handler fails', () => {
    const { status, stdout } = patchbay(['hooks', 'test', 'hostile', 'turn:accepted', '--json'], { cwd: dir });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      plugin: 'hostile',
      event: 'turn:accepted',
      results: [{ status: 'failed', message: expect.stringContaining('Cannot assign') }],
    });
  });

  it('says what is wrong with what it was told', () => {
    writeFileSync(join(dir, 'payload.json'), '{"roles":7}');
    const test = (...args: string[]) => patchbay(['hooks', 'test', ...args], { cwd: dir });
    expectError(test('anounce', 'turn:accepted'), 2, 'PLUGIN_UNKNOWN', /did you mean "announce"/);
    expectError(test('announce', 'turn:acepted'), 2, 'HOOK_UNKNOWN', /did you mean "turn:accepted"/);
    expectError(
      test('announce', 'run:held'),
      2,
      'HOOK_UNKNOWN',
      /has no handler for run:held; it has some for turn:accepted/,
    );
    expectError(
      test('announce', 'turn:accepted', '--payload', 'payload.json'),
      2,
      'EVENT_INVALID',
      /payload\.json.*roles/,
    );
    expectError(test('announce', 'turn:accepted', '--payload', 'none.json'), 2, 'USAGE', /none\.json/);
    chmodSync(join(dir, '.patchbay/plugins/announce/hooks/announce.sh'), 0o644);
    expectError(test('announce', 'turn:accepted'), 1, 'PLUGIN_LOAD', /quarantined: its files differ/);
  });
});

describe('doctor', () => {
  it('shows a handler that keeps failing', () => {
    const { checks } = json<{ checks: { name: string; detail: string }[] }>('doctor');
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: expect.stringMatching(/^handler .* of hostile$/),
        detail: expect.stringMatching(/failed \d+ times in a row, last at /),
      }),
    );
  });
});
