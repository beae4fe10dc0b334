import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type HookTable, hooks } from 'patchbay-sdk';
import { paceEvents } from 'patchbay-sdk/pace';
import { describe, expect, it } from 'vitest';
import { folder, pluginText, project } from '../../../test/project.ts';
import { bin, cleanEnv, expectError, expectJsonError, patchbay } from './command.ts';

const table: HookTable = hooks;

describe('hooks list', () => {
  it('prints every hook of the table in a line of its own', () => {
    const { stdout, stderr, status } = patchbay(['hooks', 'list']);
    const [rows, views = ''] = stdout.trimEnd().split('\n\n');
    const [head, ...lines] = (rows ?? '').split('\n');
    expect(head).toMatch(/^HOOK +KIND +FAILS +CALLED$/);
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual(
      Object.entries(table).map(([name, { kind, failure, doc }]) => [name, kind, failure, doc]),
    );
    expect(views).toMatch(/^AFTER_GATE +turn:submitted of role gate$/m);
    expect(views.split('\n').map((line) => line.split(' ')[0])).toEqual(['PACE', ...Object.keys(paceEvents)]);
    expect([stderr, status]).toEqual(['', 0]);
  });

  it('prints them as JSON, with the fields of their payloads', () => {
    const { stdout, stderr, status } = patchbay(['hooks', 'list', '--json']);
    const rows = JSON.parse(stdout) as { name: string }[];
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(table));
    expect(rows.find(({ name }) => name === 'turn:failed')).toEqual({
      name: 'turn:failed',
      kind: 'notify',
      failure: 'soft',
      deadline_ms: 30_000,
      historic: false,
      since: '0.1',
      fields: expect.arrayContaining(['event', 'run_id', 'exit_code', 'timed_out']),
      doc: table['turn:failed']?.doc,
    });
    expect(rows.find(({ name }) => name === 'host:ready')).toMatchObject({ historic: true });
    expect(rows.find(({ name }) => name === 'run:started')).toMatchObject({
      pace: ['BEFORE_DAY', 'pipeline_start', 'day_start'],
    });
    expect([stdout.trimEnd().includes('\n'), stderr, status]).toEqual([false, '', 0]);
  });

  it('works in a project that is broken', () => {
    expect(patchbay(['hooks', 'list'], { cwd: folder({ 'patchbay.yaml': '[' }) }).status).toBe(0);
  });
});

describe('hooks explain', () => {
  it('knows the events of PACE: of what they are views, and who is called for them', () => {
    const cwd = folder({
      'pace/pace.config.yaml': 'plugins: { dirs: [plugins] }\n',
      'plugins/index.mjs': `import { hook } from 'patchbay-sdk/pace';
        export const one = hook(['AFTER_GATE', 'AFTER_DAY'], (_, { conduit_report }) => conduit_report.findings.length);
        export const two = hook(['AFTER_GATE'], () => {});`,
    });
    const { stdout, status } = patchbay(['hooks', 'explain', 'AFTER_GATE'], { cwd });
    expect(stdout).toBe(
      [
        'AFTER_GATE (PACE: turn:submitted of role gate; a failure stops nobody)',
        '1.  one  AFTER_GATE  pace: first registered first',
        '2.  two  AFTER_GATE  pace: first registered first',
        '',
      ].join('\n'),
    );
    expect(status).toBe(0);
    expect(JSON.parse(patchbay(['hooks', 'explain', 'AFTER_DAY', '--json'], { cwd }).stdout)).toMatchObject({
      on: ['run:completed', 'run:held', 'run:failed', 'run:aborted'],
      role: null,
      order: [{ plugin: 'one', handler: 'AFTER_DAY' }],
    });
    const { stdout: tried } = patchbay(['hooks', 'test', 'one', 'AFTER_DAY', '--json'], { cwd });
    expect(JSON.parse(tried)).toMatchObject({ results: [{ handler: 'AFTER_DAY', status: 'ok' }] });
    expectError(patchbay(['hooks', 'explain', 'AFTER_GAT'], { cwd }), 2, 'HOOK_UNKNOWN', /did you mean "AFTER_GATE"\?/);
  });

  const plugins = {
    first: pluginText('first', `'turn:accepted': () => {}, 'turn:dispatched': () => {}`),
    second: pluginText('second', `'turn:accepted': { after: ['third'], handler: () => {} }`),
    third: pluginText('third', `'turn:accepted': { id: 'mine', handler: () => {} }`),
    eager: pluginText('eager', `'turn:accepted': { tryfirst: true, before: ['first'], handler: () => {} }`),
    lazy: pluginText('lazy', `'turn:accepted': [{ trylast: true, handler: () => {} }, { wrapper: () => {} }]`),
  };

  it('tells in which order plugins are called, and why', () => {
    const { stdout, stderr, status } = patchbay(['hooks', 'explain', 'turn:accepted'], { cwd: project(plugins) });
    expect(stdout).toBe(
      [
        'turn:accepted (notify; fails soft: a failure stops nobody)',
        '1.  lazy    lazy#2    wrapper; native: last registered first',
        '2.  eager   eager#1   tryfirst; before first; native: last registered first',
        '3.  third   mine      before second; native: last registered first',
        '4.  second  second#1  after third; native: last registered first',
        '5.  first   first#1   after eager; native: last registered first',
        '6.  lazy    lazy#1    trylast; native: last registered first',
        '',
      ].join('\n'),
    );
    expect([stderr, status]).toEqual(['', 0]);
  });

  it('tells the same as JSON', () => {
    const { stdout, stderr, status } = patchbay(['hooks', 'explain', 'turn:accepted', '--json'], {
      cwd: project(plugins),
    });
    const { event, order } = JSON.parse(stdout) as { event: string; order: { plugin: string }[] };
    expect(event).toBe('turn:accepted');
    expect(order.map(({ plugin }) => plugin)).toEqual(['lazy', 'eager', 'third', 'second', 'first', 'lazy']);
    expect(order[1]).toEqual({
      plugin: 'eager',
      handler: 'eager#1',
      because: 'tryfirst; before first; native: last registered first',
    });
    expect([stderr, status]).toEqual(['', 0]);
  });

  it('tells that a failure refuses where the hook is closed', () => {
    const { stdout } = patchbay(['hooks', 'explain', 'turn:dispatched'], { cwd: project(plugins) });
    expect(stdout).toBe(
      'turn:dispatched (waterfall; fails closed: a failure refuses)\n1.  first  first#2  native: last registered first\n',
    );
  });

  it('tells that nobody implements it', () => {
    const { stdout } = patchbay(['hooks', 'explain', 'memory'], { cwd: project(plugins) });
    expect(stdout).toBe('memory (first; fails soft: a failure stops nobody)\nno plugin implements it\n');
  });

  it('tells that there is no project', () => {
    const { stdout, status } = patchbay(['hooks', 'explain', 'memory'], { cwd: folder() });
    expect([stdout.split('\n')[1], status]).toEqual(['no project here, so no plugins', 0]);
  });

  it('works in another folder with --cwd before the command, and after it', () => {
    const dir = project(plugins);
    const there = patchbay(['hooks', 'explain', 'turn:dispatched'], { cwd: dir });
    expect(patchbay(['--cwd', dir, 'hooks', 'explain', 'turn:dispatched'])).toEqual(there);
    expect(patchbay(['hooks', 'explain', 'turn:dispatched', '--cwd', dir])).toEqual(there);
    expect(there.stdout).toContain('first#2');
  });

  it('does not know a hook that does not exist, but the nearest', () => {
    const args = ['hooks', 'explain', 'turn:acepted'];
    expectError(patchbay(args), 2, 'HOOK_UNKNOWN', /there is no hook "turn:acepted"; did you mean "turn:accepted"\?/);
    expectJsonError(patchbay([...args, '--json']), 2, 'HOOK_UNKNOWN', /did you mean "turn:accepted"\?/);
  });

  it('does not take a name that every object has for a hook', () => {
    expectError(patchbay(['hooks', 'explain', 'constructor']), 2, 'HOOK_UNKNOWN', /no hook "constructor"/);
  });
});

describe('output into a pipe that is closed', () => {
  it.each([[['hooks', 'list']], [['hooks', 'list', '--json']], [['--help']]])('%j ends quietly', async (args) => {
    const child = spawn(process.execPath, [bin, ...args], { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const ended = new Promise((resolve) => child.on('close', resolve));
    expect([await text(child.stderr), await ended]).toEqual(['', 0]);
  });

  it('ends the same way with `| head -1`', async () => {
    const line = `set -o pipefail; '${process.execPath}' '${bin}' hooks list | head -1`;
    const child = spawn('bash', ['-c', line], { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stdout).toMatch(/^HOOK .*\n$/);
    expect([stderr, await ended]).toEqual(['', 0]);
  });
});
