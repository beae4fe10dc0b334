import { join } from 'node:path';
import { expect, it } from 'vitest';
import { now, supervise } from './fixture.ts';

const fixture = join(import.meta.dirname, 'modern.fixture.ts');

it.each([
  ['stdio', 'serve'],
  ['streamable_http', 'serve'],
  ['streamable_http', 'reject'],
])('a server of the newest protocol is spoken with over %s (older ones: %s)', async (transport, legacy) => {
  const args = ['--disable-warning=ExperimentalWarning', fixture, transport, legacy];
  const { mcp } = await supervise({ modern: { command: process.execPath, args, transport } });
  expect(await mcp.list('home')).toMatchObject([{ server: 'modern', name: 'hello', description: 'Says hello' }]);
  expect(await mcp.call('modern', 'hello', {}, now)).toEqual({ result: 'hello' });
});
