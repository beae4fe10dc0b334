import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryPlugin } from 'plugin-memory';
import { expect, it } from 'vitest';
import { openMemory } from '../../../packages/host/src/capabilities/index.ts';
import { fromPynchy } from '../../../packages/host/src/dialects/pynchy/adapt.ts';
import { openHost } from '../../../packages/host/src/host.ts';
import { folder } from '../../../test/project.ts';
import NotebookPlugin from '../plugin.ts';

it('takes the place of the memory that comes with Patchbay', async () => {
  const cwd = folder({ 'patchbay.yaml': '' });
  const dir = join(cwd, 'notes');
  const host = await openHost({ cwd, version: '0.0.0', builtins: [memoryPlugin] });
  host.load(fromPynchy(NotebookPlugin, { name: 'notebook', version: '1.0.0', file: 'plugin.ts' }, { dir }));
  const opened = await openMemory(host.kernel, cwd);
  expect(opened?.plugin).toBe('notebook');
  const memory = opened?.memory;
  await memory?.save('home', 'door', 'the code is 1234', 'core', null);
  await memory?.save('home', 'bike', 'in the yard', 'daily', null);
  await memory?.save('away', 'door', 'no code', 'core', null);
  expect(await memory?.recall('home', 'door code', null, 1)).toMatchObject([
    { key: 'door', content: 'the code is 1234' },
  ]);
  expect(await memory?.listKeys('home', 'daily')).toEqual([{ key: 'bike', category: 'daily' }]);
  expect(await memory?.forget('home', 'door')).toEqual({ forgotten: true });
  expect(await memory?.recall('home', 'code', null, 9)).toEqual([]);
  expect(readFileSync(join(dir, 'home.jsonl'), 'utf8').split('\n')).toHaveLength(4);
  await host.close();
});
