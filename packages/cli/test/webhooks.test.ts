import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { project, root } from '../../../test/project.ts';
import { cleanEnv, expectError, patchbay } from './command.ts';

// From source, as the host beside it: the build may be older.
const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
const script = join(root, 'packages/cli/src/main.ts');
const call = (cwd: string, ...args: string[]) => patchbay(['webhooks', ...args], { cwd, flags, script });

/** Handles requests as long as there is a file "well", else it fails. */
const plugin = `
  import { existsSync } from 'node:fs';
  const handle = (request) => {
    if (!existsSync('well')) throw new Error('unwell');
    return { body: request.payload };
  };
  export default {
    name: 'hook', version: '1.0.0',
    provides: { webhooks: () => [
      { path: '/open', handle },
      { path: '/proven', proof: { scheme: 'bearer', secrets: ['s'] }, handle },
    ] },
  };`;

interface Shown {
  readonly path: string;
  readonly state: string;
}

function listed(cwd: string): Shown[] {
  const { stdout, stderr, status } = call(cwd, 'list', '--json');
  expect([stderr, status]).toEqual(['', 0]);
  return JSON.parse(stdout) as Shown[];
}

/** A host that serves, until the test is over or it is stopped. */
async function serve(cwd: string) {
  const args = [...flags, script, 'serve', '--port', '0', '--webhook-port', '0', '--json'];
  const child = spawn(process.execPath, args, { cwd, env: cleanEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { webhooks } = JSON.parse(line) as { webhooks: string };
  const post = async (path: string, body: object = {}) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer s' };
    return (await fetch(webhooks + path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { post, stop };
}

describe('webhooks', () => {
  it('list shows path, plugin, scheme, state and counts, with a host or without', async () => {
    const cwd = project({ hook: plugin });
    const none = { plugin: 'hook', state: 'open', received: 0, failed: 0, waiting: 0 };
    const rows = [
      { ...none, path: '/open', scheme: 'none' },
      { ...none, path: '/proven', scheme: 'bearer' },
    ];
    expect(listed(cwd)).toEqual(rows);
    const { post } = await serve(cwd);
    expect([await post('/open'), await post('/proven')]).toEqual([500, 500]);
    writeFileSync(join(cwd, 'well'), '');
    expect(await post('/proven')).toBe(200);
    await eventually(() =>
      expect(listed(cwd)).toEqual([
        { ...rows[0], received: 1, failed: 1 },
        { ...rows[1], received: 2, failed: 1 },
      ]),
    );
    expect(call(cwd, 'list').stdout).toContain('/proven  hook  bearer  open  2 received  1 failed  0 waiting');
  });

  it('pause and resume are heeded by a host that serves', async () => {
    const cwd = project({ hook: plugin });
    writeFileSync(join(cwd, 'well'), '');
    const { post } = await serve(cwd);
    expect(call(cwd, 'pause', '/open').stdout).toContain('/open    hook  none    paused');
    await eventually(async () => expect(await post('/open')).toBe(503));
    expect(await post('/proven')).toBe(200);
    expect(call(cwd, 'resume').stdout).not.toContain('paused');
    await eventually(async () => expect(await post('/open')).toBe(200));
    expectError(call(cwd, 'pause', '/nowhere'), 2, 'WEBHOOK_UNKNOWN', /\/nowhere; there are \/open, \/proven/);
  });

  it('replay has a request handled again: by itself, or by the host that serves', async () => {
    const cwd = project({ hook: plugin });
    expect(call(cwd, 'replay', '--failed').stdout).toBe('Nothing failed.\n');
    const first = await serve(cwd);
    for (const n of [1, 2]) await first.post('/open', { n });
    await first.post('/proven');
    await first.stop();
    writeFileSync(join(cwd, 'well'), '');
    const alone = call(cwd, 'replay', '1.1');
    expect([alone.stdout, alone.status]).toEqual(['1.1  /open  ok\n', 0]);
    const { post } = await serve(cwd);
    const beside = call(cwd, 'replay', '--failed', '--path', '/open', '--json');
    expect(JSON.parse(beside.stdout)).toMatchObject([{ handler: '/open' }]);
    await eventually(() => expect(listed(cwd)).toMatchObject([{ failed: 0, waiting: 0 }, { failed: 1 }]));
    expect(await post('/open')).toBe(200);
    expectError(call(cwd, 'replay'), 2, 'USAGE', /name a request/);
    expectError(call(cwd, 'replay', 'nothing'), 2, 'DELIVERY_UNKNOWN', /nothing/);
  });
});
