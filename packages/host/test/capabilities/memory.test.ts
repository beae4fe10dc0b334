import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { memoryPlugin } from 'plugin-memory';
import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/project.ts';
import { openMemory } from '../../src/capabilities/index.ts';
import { type Host, openHost } from '../../src/host.ts';
import { Bench, moduleForm } from '../host/fixture.ts';

/** A module with a memory that answers `answer` to everything, or something else for some members. */
const moduleOf = (name: string, members = '', dialect = 'native') => `export default {
  name: '${name}', version: '1.0.0', dialect: '${dialect}',
  provides: { memory: ({ project }) => ({
    name: project, save: async () => ({ by: '${name}' }), recall: async () => [{ key: 'by ${name}' }],
    forget: async () => ({}), listKeys: async () => [], init: async () => {}, close: async () => {}, ${members}
  }) },
};`;

/** A module whose handler is this. */
const hostile = (handler: string) => `export default {
  name: 'bad', version: '1.0.0', hooks: { memory: { deadlineMs: 300, handler: ${handler} } },
};`;

async function opened(host: Host, dir: string) {
  const it = await openMemory(host.kernel, dir);
  if (it === undefined) throw new Error('there is no memory');
  return it;
}

/** The memory of a project with these modules beside the built-in. */
async function memoryOf(modules: Readonly<Record<string, string>>) {
  const dir = project(modules);
  const host = await openHost({ cwd: dir, version: '0.0.0', builtins: [memoryPlugin] });
  const open = () => opened(host, dir);
  return { dir, host, open, [Symbol.asyncDispose]: () => host.close() };
}

/** The same with an installed package, in a process of its own. */
async function memoryWithPackage(text: string, name = 'bad') {
  const bench = new Bench('patchbay');
  await bench.install(name, moduleForm(name, ['memory'], text));
  const host = await bench.open({ builtins: [memoryPlugin] });
  expect(host.quarantined).toEqual([]);
  return opened(host, bench.dir);
}

async function expectBuiltIn({ memory, plugin }: Awaited<ReturnType<typeof opened>>) {
  expect([plugin, memory.name]).toEqual(['memory-sqlite', 'sqlite']);
  await memory.save('home', 'door', 'the code is 1234', 'core', null);
  expect(await memory.recall('home', 'code', null, 10)).toMatchObject([{ key: 'door' }]);
}

describe('the built-in memory', () => {
  it('is used where no plugin brings another, in a folder of the project, and closes with the host', async () => {
    const { dir, host, open } = await memoryOf({});
    const it = await open();
    await expectBuiltIn(it);
    expect(it.passedOver).toEqual([]);
    const files = () => readdirSync(join(dir, '.patchbay/memory'));
    expect(files()).toContain('home.db-wal');
    await host.close();
    expect(files()).toEqual(['home.db']);
  });

  it('can correct, tell the history, export, import and give pages', async () => {
    await using at = await memoryOf({});
    const { memory } = await at.open();
    for (const content of ['one', 'two']) await memory.save('g', 'k', content, 'core', { n: 1 });
    expect(await memory.history?.('g', 'k')).toMatchObject([{ content: 'one', metadata: { n: 1 } }]);
    expect(await memory.import?.('h', (await memory.export?.('g')) ?? [])).toBe(1);
    expect(await memory.recall('h', 'two', null, 10)).toMatchObject([{ key: 'k', metadata: { n: 1 } }]);
    await memory.save('g', 'l', 'three', 'core', null);
    expect(await memory.listKeys('g', null, { limit: 1, offset: 1 })).toHaveLength(1);
  });
});

describe('a plugin replaces it', () => {
  it('as a module of the project', async () => {
    await using at = await memoryOf({ house: moduleOf('house') });
    const { plugin, memory } = await at.open();
    expect([plugin, memory.name]).toEqual(['house', at.dir]);
    expect(await memory.save('g', 'k', 'x', 'core', null)).toEqual({ by: 'house' });
    expect(memory.history).toBeUndefined();
  });

  it('as one that was written for Pynchy', async () => {
    await using at = await memoryOf({ theirs: moduleOf('theirs', '', 'pynchy') });
    expect((await at.open()).plugin).toBe('theirs');
  });

  it('as an installed package in a process of its own', async () => {
    const { plugin, memory } = await memoryWithPackage(moduleOf('parcel'), 'parcel');
    expect(plugin).toBe('parcel');
    expect(await memory.recall('g', 'x', null, 10)).toEqual([{ key: 'by parcel' }]);
  });

  it('the one that was registered last, of several', async () => {
    await using at = await memoryOf({ one: moduleOf('one'), two: moduleOf('two') });
    expect((await at.open()).plugin).toBe('two');
  });
});

describe('a hostile plugin leaves it in place', () => {
  const hostiles: [string, string, string][] = [
    ['throws', `() => { throw new Error('no'); }`, 'HANDLER_FAILED'],
    ['never settles', '() => new Promise(() => {})', 'HANDLER_TIMEOUT'],
    ['answers nonsense', '() => 7', 'HANDLER_ANSWER'],
    ['answers half of a memory', `() => ({ name: 'half', save: async () => ({}) })`, 'HANDLER_ANSWER'],
  ];

  it.each(hostiles)('in the process of the host: it %s', async (_, handler, code) => {
    await using at = await memoryOf({ bad: hostile(handler) });
    const it = await at.open();
    expect(it.passedOver).toMatchObject([{ code, plugin: 'bad', hook: 'memory' }]);
    await expectBuiltIn(it);
  });

  it.each([...hostiles, ['hangs', '() => { for (;;); }', 'HANDLER_TIMEOUT'] as const])(
    'in a process of its own: it %s',
    async (_, handler, code) => {
      const it = await memoryWithPackage(hostile(handler));
      expect(it.passedOver).toMatchObject([{ code, plugin: 'bad', hook: 'memory' }]);
      await expectBuiltIn(it);
    },
  );
});

describe('a backend that won and goes wrong is named', () => {
  it.each([
    ['save throws', `save: async () => { throw new Error('full'); }`, 'HANDLER_FAILED', /"house".*"save" failed: full/],
    ['save answers nonsense', 'save: async () => 7', 'HANDLER_ANSWER', /"house".*"save" answered/],
    ['save answers a list', 'save: async () => []', 'HANDLER_ANSWER', /"house".*"save" answered/],
  ])('when %s', async (_, members, code, message) => {
    await using at = await memoryOf({ house: moduleOf('house', members) });
    const { memory } = await at.open();
    const saving = memory.save('g', 'k', 'x', 'core', null);
    await expect(saving).rejects.toMatchObject({ code, plugin: 'house', message: expect.stringMatching(message) });
  });

  it('when it cannot be made ready, instead of another that does not know its entries', async () => {
    await using at = await memoryOf({ house: moduleOf('house', `init: async () => { throw new Error('no disk'); }`) });
    await expect(at.open()).rejects.toMatchObject({ code: 'HANDLER_FAILED', plugin: 'house' });
  });

  it('when its process ends in the middle', async () => {
    const { memory } = await memoryWithPackage(moduleOf('bad', 'save: async () => process.exit(3)'));
    const saving = memory.save('g', 'k', 'x', 'core', null);
    await expect(saving).rejects.toMatchObject({ code: 'HANDLER_FAILED', message: expect.stringMatching(/code 3/) });
  });
});
