import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { folder, root } from '../../../../test/project.ts';
import { confinement } from '../../src/sandbox/isolated/confinement.ts';
import { type Mode, modes, pluginText, processesIn } from './isolated-fixture.ts';

const hasNamespaces = (await confinement(true)).length > 0;

/** A host in a process of its own that has started a plugin, and the folder of the plugin. */
async function hosting(namespace: Mode, body: string, then: string): Promise<{ host: ChildProcess; project: string }> {
  const project = folder({ 'it/index.mjs': pluginText(`'turn:accepted': () => { ${body} }`) });
  const text = `
    import { hooks, sample } from 'patchbay-sdk';
    import { Kernel } from './packages/host/src/kernel/index.ts';
    import { IsolatedPlugin } from './packages/host/src/sandbox/isolated/index.ts';
    const dir = ${JSON.stringify(join(project, 'it'))};
    const plugin = new IsolatedPlugin({ name: 'it', module: dir + '/index.mjs', dir, project: ${JSON.stringify(project)},
      config: {}, grants: [], env: {}, log: () => {}, namespace: '${namespace}' });
    const kernel = new Kernel(hooks);
    kernel.register(plugin.registration(await plugin.describe()));
    await kernel.call('turn:accepted', sample('turn:accepted'));
    console.log('called');
    ${then}`;
  const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const host = spawn(process.execPath, [...flags, '--eval', text], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void host.kill('SIGKILL'));
  await once(createInterface({ input: host.stdout as NodeJS.ReadableStream }), 'line');
  return { host, project };
}

describe.each(modes)('with namespace %s, when the host', (namespace) => {
  it('is killed, an isolated plugin goes with it', async () => {
    const { host, project } = await hosting(namespace, '', 'setInterval(() => {}, 1000);');
    expect(processesIn(project)).not.toEqual([]);
    host.kill('SIGKILL');
    await vi.waitFor(() => expect(processesIn(project)).toEqual([]), { timeout: 60_000 });
  });

  it('has nothing left to do, an isolated plugin does not keep it', async () => {
    const { host, project } = await hosting(namespace, '', '');
    const [code] = host.exitCode === null ? await once(host, 'exit') : [host.exitCode];
    expect(code).toBe(0);
    await vi.waitFor(() => expect(processesIn(project)).toEqual([]), { timeout: 60_000 });
  });
});

describe.runIf(hasNamespaces)('in a namespace, when the host', () => {
  it('is killed, even a plugin goes with it that is busy for ever', async () => {
    const busy = 'setTimeout(() => { for (;;); }, 50);';
    const { host, project } = await hosting('auto', busy, 'setInterval(() => {}, 1000);');
    host.kill('SIGKILL');
    await vi.waitFor(() => expect(processesIn(project)).toEqual([]), { timeout: 60_000 });
  });
});
