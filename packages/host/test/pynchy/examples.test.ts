import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryPlugin } from 'plugin-memory';
import { expect, it, onTestFinished } from 'vitest';
import { folder, root } from '../../../../test/project.ts';
import { openMemory } from '../../src/capabilities/index.ts';
import { openHost } from '../../src/host.ts';
import { listSkills } from '../../src/skills/index.ts';

/** A project that has an example as a module of its own. */
async function hostOf(name: string, config = '{}') {
  const cwd = folder({ 'patchbay.yaml': `plugins:\n  ${name}: { path: ${name}/plugin.ts, config: ${config} }\n` });
  cpSync(join(root, `examples/pynchy-${name}`), join(cwd, name), { recursive: true });
  const host = await openHost({ cwd, version: '0.0.0', builtins: [memoryPlugin] });
  onTestFinished(() => host.close());
  return { ...host, cwd };
}

it('the calendar brings tools and a skill', async () => {
  const { kernel } = await hostOf('calendar');
  const { entries } = await kernel.call('serviceTools', {});
  const call = (name: string, fields: object) => {
    const tool = entries[name];
    const handler = typeof tool === 'function' ? tool : tool?.handler;
    return handler?.({ type: name, request_id: 'r1', ...fields });
  };
  const entry = { id: 1, title: 'Lunch', at: '2026-03-01T12:00:00Z' };
  expect(await call('create_event', { title: 'Lunch', at: entry.at })).toEqual({ result: entry });
  expect(await call('list_calendar', {})).toEqual({ result: [entry] });
  expect(await call('delete_event', { id: 2 })).toEqual({ error: 'there is no entry 2' });
  expect(await call('delete_event', { id: 1 })).toEqual({ result: entry });
  const { skills, problems } = await listSkills(kernel, ['calendar']);
  expect(problems).toEqual([]);
  expect(skills).toMatchObject([{ name: 'calendar', tier: 'community', selected: true }]);
});

it('the notebook takes the place of the memory that comes with Patchbay', async () => {
  const dir = folder();
  const { kernel, cwd } = await hostOf('notebook', `{ dir: ${dir} }`);
  const opened = await openMemory(kernel, cwd);
  expect(opened?.plugin).toBe('notebook');
  const memory = opened?.memory;
  await memory?.save('home', 'door', 'the code is 1234', 'core', null);
  await memory?.save('home', 'bike', 'in the yard', 'daily', null);
  await memory?.save('away', 'door', 'no code', 'core', null);
  expect(await memory?.recall('home', 'door code', null, 1)).toMatchObject([{ key: 'door' }]);
  expect(await memory?.listKeys('home', 'daily')).toEqual([{ key: 'bike', category: 'daily' }]);
  expect(await memory?.forget('home', 'door')).toEqual({ forgotten: true });
  expect(await memory?.recall('home', 'code', null, 9)).toEqual([]);
  expect(readFileSync(join(dir, 'home.jsonl'), 'utf8').split('\n')).toHaveLength(4);
});
