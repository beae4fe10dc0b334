import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../../../test/postgres.ts';
import { folder } from '../../../test/project.ts';
import type { Check } from '../src/check.ts';
import { bin, cleanEnv } from './command.ts';
import { Pooler } from './pooler.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

/** What the doctor says of a project whose database this is, and how it ends; the clock may go wrong by so much. */
async function doctor(url: string, { slowMs = 0 } = {}) {
  const cwd = folder({
    'patchbay.yaml': 'engine: postgres\n',
    'clock.cjs': `const now = Date.now; Date.now = () => now() - ${slowMs};\n`,
  });
  const child = spawn(process.execPath, ['--require', join(cwd, 'clock.cjs'), bin, 'doctor', '--json'], {
    cwd,
    env: cleanEnv({ PATCHBAY_DATABASE_URL: url }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { status, check: (name: string) => checks.find((one) => one.name === name) };
}

describe('doctor, of a database,', () => {
  it('says that all is well, and with which server', async () => {
    const url = await server.database();
    const { status, check } = await doctor(url);
    expect(status).toBe(0);
    expect(check('database')).toMatchObject({ ok: true, detail: expect.stringMatching(/PostgreSQL \d+.*the rights/) });
    expect(check('database')?.detail).not.toContain('not-asked');
    expect(check('database latency')).toMatchObject({ ok: true, detail: expect.stringMatching(/takes [\d.]+ ms/) });
    expect(check('database clock')).toMatchObject({ ok: true, fix: null });
    expect(check('database connection')).toMatchObject({ ok: true, detail: expect.stringContaining('direct') });
    expect(check('database sessions')).toMatchObject({ ok: true, detail: expect.stringMatching(/lets \d+ more/) });
    expect(check('ledger')).toMatchObject({ ok: true });
  });

  it.each([
    [2500, true, 0],
    [60_000, false, 1],
  ])('finds a clock that is %i ms slow: it may go on: %s', async (slowMs, ok, exit) => {
    const { status, check } = await doctor(await server.database(), { slowMs });
    expect(check('database clock')).toMatchObject({
      ok,
      detail: expect.stringMatching(/is \d+ ms ahead of this one/),
      fix: expect.stringContaining('time server'),
    });
    expect(status).toBe(exit);
  });

  it('finds a pooler that gives sessions to others, and a server that is far away', async () => {
    const pooler = await Pooler.start(server.port);
    onTestFinished(() => pooler.close());
    pooler.delayMs = 150;
    const url = (await server.database()).replace(`:${server.port}/`, `:${pooler.port}/`);
    const { status, check } = await doctor(url);
    expect(status).toBe(1);
    expect(check('database connection')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/locks do not stay.*LISTEN hears nothing/),
      fix: expect.stringContaining('PATCHBAY_DATABASE_URL'),
    });
    expect(check('database latency')).toMatchObject({ ok: false, detail: expect.stringContaining('too far') });
  });

  it('finds that the server has no room for a host', async () => {
    const url = await server.database();
    await server.run("CREATE ROLE few LOGIN PASSWORD 's3cret' CONNECTION LIMIT 10");
    await server.run(`CREATE SCHEMA patchbay AUTHORIZATION few`, url);
    const { check } = await doctor(url.replace('patchbay:not-asked', 'few:s3cret'));
    expect(check('database sessions')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/lets \d more .* 0 more hosts/),
      fix: expect.stringContaining('max_connections'),
    });
  });

  it('says what is wrong with one that cannot be used, once', async () => {
    const { status, check } = await doctor(server.url('nowhere'));
    expect(status).toBe(1);
    expect(check('database')).toBeUndefined();
    expect(check('ledger')).toMatchObject({ ok: false, detail: expect.stringContaining('does not exist') });
  });
});
