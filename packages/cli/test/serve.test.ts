import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Stage } from '../../../test/flows/stage.ts';
import { expectError, expectJsonError } from './command.ts';
import { appears, begin, call, json, type RunJson, start, typesOf, type UnderWay } from './run-fixture.ts';

interface Ready {
  readonly api: string;
  readonly webhooks: string;
  readonly token_file: string;
  readonly pid: number;
}

/** Has a host serve in the project of a stage, until the end of the test. */
async function serve(stage: Stage, ...args: string[]): Promise<UnderWay & { ready: Ready }> {
  const under = start(stage, 'serve', '--port', '0', '--webhook-port', '0', ...args, '--json');
  const line = await new Promise<string>((resolve, reject) => {
    under.child.stdout?.on('data', (chunk: string) => resolve(chunk));
    void under.ended.then(({ stdout, stderr }) => reject(new Error(stdout + stderr)));
  });
  return { ...under, ready: JSON.parse(line) as Ready };
}

function runOf(stage: Stage, run_id: string): RunJson {
  return json(stage, 0, 'status', run_id);
}

describe('serve', () => {
  it('says in one line where it is when it is ready, and ends well when it is told to', async () => {
    const stage = new Stage('straight');
    const { child, ended, ready } = await serve(stage);
    expect(ready).toEqual({
      api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      webhooks: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      token_file: stage.file('.patchbay/api-token'),
      pid: child.pid,
    });
    expect(await (await fetch(`${ready.api}/api/v1/health`)).json()).toEqual({ ok: true });
    expect((await fetch(`${ready.webhooks}/nothing`, { method: 'POST' })).status).toBe(404);
    child.kill('SIGTERM');
    const { stdout, stderr, status } = await ended;
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).not.toContain(readFileSync(ready.token_file, 'utf8').trim());
  });

  it('tells people where it is', async () => {
    const stage = new Stage('straight');
    const { child, ended } = start(stage, 'serve', '--port', '0', '--webhook-port', '0');
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^The API is at http:.*\nWebhooks /),
    });
  });

  it('says that a port is taken, and leaves the project to others', async () => {
    const stage = new Stage('straight');
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const taken = String((other.address() as AddressInfo).port);
    const ended = call(stage, 'serve', '--port', taken, '--webhook-port', '0');
    expectError(ended, 1, 'PORT_TAKEN', new RegExp(`127\\.0\\.0\\.1:${taken}.*EADDRINUSE`));
    expectJsonError(
      call(stage, 'serve', '--port', '0', '--webhook-port', taken, '--json'),
      1,
      'PORT_TAKEN',
      /EADDRINUSE/,
    );
    expectError(call(stage, 'serve', '--port', 'x'), 2, 'USAGE', /--port x: must be a number/);
    begin(stage, 3);
  });

  it('takes webhooks on the port that a PACE project names', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await new Promise((resolve) => other.close(resolve));
    const config = `plugins:\n  webhook_port: ${port}\n`;
    const stage = new Stage('straight', { files: { 'pace/pace.config.yaml': config } });
    const under = start(stage, 'serve', '--port', '0', '--json');
    const line = await new Promise<string>((resolve) => under.child.stdout?.once('data', resolve));
    expect(JSON.parse(line)).toMatchObject({ webhooks: `http://127.0.0.1:${port}` });
  });

  it('ends at once when it is told twice', async () => {
    const stage = new Stage('interrupted');
    stage.write(
      'agent.sh',
      `#!/bin/sh\ntrap '' TERM\ntouch '${stage.dir}/sources/working'\nwhile :; do sleep 0.1; done\n`,
    );
    stage.write('sources/.keep', '');
    stage.commit();
    const { child, ended } = await serve(stage);
    begin(stage, 0, '--detach');
    await appears(stage, 'sources/working');
    child.kill('SIGTERM');
    await vi.waitFor(
      () => {
        child.kill('SIGINT');
        expect(child.exitCode ?? child.signalCode).not.toBeNull();
      },
      { timeout: 60_000 },
    );
    await ended;
    // One of many may come while nobody takes them: a shell says 130 of both.
    expect([130, 'SIGINT']).toContain(child.exitCode ?? child.signalCode);
  });
});

describe('Beside a host that serves', () => {
  it('a run is handed to it, and followed until it waits, then until it ends', async () => {
    const stage = new Stage('straight');
    const { ready } = await serve(stage);
    const told = call(stage, 'run', '--template', 'flow', '--input', 'Make it work');
    expect(told.status).toBe(3);
    expect(told.stderr).toContain(`process ${ready.pid} is the host of this project: it carries the run on`);
    expect(told.stderr).toMatch(/planning\.planner \(attempt 1\) …\n.*\n {2}waits for 1 approval/s);
    const [run] = json<RunJson[]>(stage, 0, 'status');
    const run_id = run?.run_id ?? '';
    const approved = json(stage, 0, 'approve', run_id, '--by', 'ann');
    expect(approved).toMatchObject({ run_id, status: 'completed' });
    expect(stage.result({ run_id }, 'PLAN.md')).toBe('Goal: Make it work');
    expect(typesOf(stage, '--run', run_id).filter((type) => type === 'run:completed')).toHaveLength(1);
  });

  it('a run is held when it is refused, and resumed as another one', async () => {
    const stage = new Stage('refused');
    await serve(stage);
    const { run_id } = begin(stage, 3);
    const refused = json(stage, 4, 'refuse', run_id, '--by', 'bob', '--reason', 'Too vague');
    expect(refused).toMatchObject({ status: 'held', reason: 'bob refused gate "plan": Too vague' });
    const next = json(stage, 3, 'resume', run_id);
    expect(next.run_id).not.toBe(run_id);
    expect(json<RunJson[]>(stage, 3, 'resume')).toMatchObject([{ run_id: next.run_id, status: 'waiting' }]);
  });

  it('a run that is asked for with --detach goes on by itself', async () => {
    const stage = new Stage('rejection');
    await serve(stage);
    const { run_id } = begin(stage, 0, '--detach');
    await vi.waitFor(() => expect(runOf(stage, run_id).status).toBe('completed'), { timeout: 60_000, interval: 300 });
  });

  it('a run that is aborted is stopped, whatever it does', async () => {
    const stage = new Stage('interrupted');
    await serve(stage);
    const { run_id } = begin(stage, 0, '--detach');
    await appears(stage, 'sources/working');
    expect(json(stage, 0, 'abort', run_id, '--by', 'ann')).toMatchObject({ status: 'aborted' });
    const next = begin(stage, 0, '--detach');
    await vi.waitFor(() => expect(runOf(stage, next.run_id).status).toBe('active'), { timeout: 60_000, interval: 300 });
  });

  it('whoever follows a run is told what the host has trouble with', async () => {
    const stage = new Stage('rejection');
    await serve(stage);
    stage.write('src/new.txt', 'new');
    const ended = call(stage, 'run', '--template', 'flow', '--input', 'x', '--json');
    const error = expectJsonError(ended, 2, 'WORKSPACE_DIRTY', /src\/new\.txt/);
    expect(error).toMatchObject({ hint: expect.stringContaining('tries it again at') });
    const [run] = json<RunJson[]>(stage, 0, 'status');
    expect(runOf(stage, run?.run_id ?? '')).toMatchObject({ status: 'active', trouble: { code: 'WORKSPACE_DIRTY' } });
    expect(call(stage, 'status', run?.run_id ?? '').stdout).toContain('The host cannot carry it on: ');
  });

  it('whoever follows a run is told when the host dies; the next one carries the run on', async () => {
    const stage = new Stage('interrupted');
    const { child } = await serve(stage);
    const { ended } = start(stage, 'run', '--template', 'flow', '--input', 'Hand in last', '--json');
    await appears(stage, 'sources/working');
    child.kill('SIGKILL');
    const [run] = json<RunJson[]>(stage, 0, 'status');
    const { stdout, status } = await ended;
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'HOST_GONE', run: run?.run_id } }]);
    stage.write('sources/go', '');
    await serve(stage);
    const completed = () => expect(runOf(stage, run?.run_id ?? '').status).toBe('completed');
    await vi.waitFor(completed, { timeout: 60_000, interval: 300 });
  });
});
