import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { enablePlugin } from '../../src/install/manage.ts';
import { Bench, documentForm, moduleForm, script } from './fixture.ts';

const echo = (name: string) =>
  documentForm(name, [script('turn:accepted', './hooks/a.sh')], { 'hooks/a.sh': '#!/bin/sh\necho hello\n' });

async function withNeighbour(kind: 'agentxchain' | 'patchbay' = 'agentxchain') {
  const bench = new Bench(kind);
  await bench.install('bad', echo('bad'));
  await bench.install('good', echo('good'));
  return bench;
}

describe('A plugin is kept from running, and the host goes on, if', () => {
  it.each([
    [
      'its folder is missing',
      (b: Bench) => rmSync(b.file('.agentxchain/plugins/bad'), { recursive: true }),
      'its folder is missing',
    ],
    [
      'a file of it was changed',
      (b: Bench) => appendFileSync(b.file('.agentxchain/plugins/bad/hooks/a.sh'), 'rm -rf /\n'),
      'its files differ from the lock file',
    ],
    [
      'a file was added to it',
      (b: Bench) => writeFileSync(b.file('.agentxchain/plugins/bad/more'), ''),
      'its files differ from the lock file',
    ],
    [
      'its manifest is gone',
      (b: Bench) => rmSync(b.file('.agentxchain/plugins/bad/agentxchain-plugin.json')),
      'its files differ from the lock file',
    ],
    [
      'it is not in the lock file',
      (b: Bench) => {
        const lock = JSON.parse(readFileSync(b.file('patchbay.lock'), 'utf8'));
        delete lock.plugins.bad;
        writeFileSync(b.file('patchbay.lock'), JSON.stringify(lock));
      },
      'is not in the lock file',
    ],
    [
      'it is not in the project file',
      (b: Bench) => {
        const config = JSON.parse(readFileSync(b.file('agentxchain.json'), 'utf8'));
        delete config.plugins.bad;
        writeFileSync(b.file('agentxchain.json'), JSON.stringify(config));
      },
      'is not in the project file',
    ],
  ])('%s', async (_, damage, reason) => {
    const bench = await withNeighbour();
    damage(bench);
    const { host, emit, service, deliveries } = await bench.start();
    expect(host.quarantined).toEqual([expect.objectContaining({ name: 'bad', reason })]);
    expect(host.quarantined[0]?.fix).toMatch(/patchbay plugin install/);
    await emit('turn:accepted');
    await service.rest();
    expect(await deliveries({ event: 'turn:accepted' })).toMatchObject([{ plugin: 'good', status: 'ok' }]);
    const told = [];
    for await (const { payload } of service.ledger.events({ type: 'plugin:quarantined' })) told.push(payload);
    expect(told).toMatchObject([{ plugin: 'bad', reason: expect.stringContaining(reason) }]);
  });

  it('a folder was put there by hand', async () => {
    const bench = await withNeighbour();
    cpSync(bench.file('.agentxchain/plugins/good'), bench.file('.agentxchain/plugins/smuggled'), { recursive: true });
    const { quarantined } = await bench.open();
    expect(quarantined).toMatchObject([{ name: 'smuggled', reason: 'is not in the lock file' }]);
  });

  it('a folder of a scope was put there by hand', async () => {
    const bench = await withNeighbour();
    mkdirSync(bench.file('.agentxchain/plugins/@evil/thing'), { recursive: true });
    const { quarantined } = await bench.open();
    expect(quarantined).toMatchObject([{ name: '@evil/thing', reason: 'is not in the lock file' }]);
  });

  it('its configuration does not fit its schema any more', async () => {
    const bench = new Bench();
    const config_schema = { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] };
    await bench.install('bad', documentForm('bad', [], {}, { config_schema }), { config: { level: 1 } });
    writeFileSync(bench.file('agentxchain.json'), '{"plugins":{"bad":{"version":"1.0.0","config":{"level":"high"}}}}');
    const { quarantined } = await bench.open();
    expect(quarantined).toMatchObject([{ name: 'bad', reason: expect.stringContaining('"level" must be integer') }]);
  });

  it('a variable that its configuration refers to is not set', async () => {
    const bench = new Bench();
    await bench.install('bad', documentForm('bad', []), { config: { deep: { token: '${NOWHERE_SET}' } } });
    const { quarantined } = await bench.open({ env: {} });
    expect(quarantined[0]?.reason).toContain('"deep.token" needs the variable NOWHERE_SET, which is not set');
  });

  it.each([
    ['its module throws', 'throw new Error("out of paper");', /out of paper/],
    ['its module exports nothing', 'export {};', /no default export/],
    ['its module ends the process', 'process.exit(3);', /cannot be loaded/],
    [
      'its module implements a hook that its manifest does not name',
      `export default { name: 'bad', version: '1.0.0', hooks: { 'run:held'() {} } };`,
      /"run:held", which its manifest does not name/,
    ],
  ])('%s', async (_, text, reason) => {
    const bench = new Bench('patchbay');
    await bench.install('bad', moduleForm('bad', ['turn:accepted'], text));
    await bench.install('good', echo('good'));
    const { quarantined, kernel } = await bench.open();
    expect(quarantined).toMatchObject([{ name: 'bad', reason: expect.stringMatching(reason) }]);
    expect(
      kernel
        .hook('turn:accepted')
        .handlers()
        .map(({ plugin }) => plugin),
    ).toEqual(['good']);
  });

  it('a module of the project has the same name: the module is run', async () => {
    const bench = new Bench('patchbay');
    await bench.install('twin', echo('twin'));
    writeFileSync(bench.file('twin.mjs'), `export default { name: 'twin', version: '2.0.0', hooks: {} };`);
    writeFileSync(bench.file('patchbay.yaml'), 'plugins:\n  twin:\n    path: ./twin.mjs\n');
    const { quarantined, kernel } = await bench.open();
    expect(kernel.plugins()).toEqual(['twin']);
    expect(quarantined).toMatchObject([{ name: 'twin', reason: expect.stringContaining('two of this name') }]);
  });
});

describe('Quarantined plugins', () => {
  it('that guard an event refuse it until they are mended or disabled: damaging a guard opens no gate', async () => {
    const bench = new Bench();
    const manifest = {
      schema_version: '0.1',
      name: 'guard',
      version: '1.0.0',
      hooks: { before_gate: [{ type: 'process', command: ['./hooks/ok.sh'], mode: 'blocking' }] },
    };
    const allow = '#!/bin/sh\necho \'{"verdict":"allow"}\'\n';
    await bench.install('guard', { 'agentxchain-plugin.json': JSON.stringify(manifest), 'hooks/ok.sh': allow });
    const first = await bench.start();
    await first.emit('gate:pending');
    await first.host.close();

    appendFileSync(bench.file('.agentxchain/plugins/guard/hooks/ok.sh'), '# touched\n');
    const second = await bench.start();
    await expect(second.emit('gate:pending')).rejects.toMatchObject({
      code: 'HOOK_REFUSED',
      message: expect.stringMatching(/quarantined: its files differ.*or disable it/),
    });
    await second.host.close();

    await enablePlugin(bench.dir, 'guard', false);
    const third = await bench.start();
    await third.emit('gate:pending');
  });

  it('are told in alphabetical order, as those that run are loaded', async () => {
    const bench = new Bench();
    for (const name of ['zebra', 'ant', 'mole', 'bee']) await bench.install(name, echo(name));
    for (const name of ['zebra', 'ant']) rmSync(bench.file(`.agentxchain/plugins/${name}`), { recursive: true });
    const { quarantined, kernel } = await bench.open();
    expect(quarantined.map(({ name }) => name)).toEqual(['ant', 'zebra']);
    expect(
      kernel
        .hook('turn:accepted')
        .handlers()
        .map(({ plugin }) => plugin),
    ).toEqual(['bee', 'mole']);
  });
});

describe('What happens to plugins', () => {
  it('between two hosts is told by the next one, and what a removed one was owed is cancelled', async () => {
    const bench = await withNeighbour();
    const types = async ({ service }: Awaited<ReturnType<Bench['start']>>) => {
      const told: string[] = [];
      for await (const { type, payload } of service.ledger.events({ type: 'plugin:*' })) {
        told.push(`${type} ${(payload as { plugin: string }).plugin}`);
      }
      return told;
    };
    const first = await bench.start();
    expect(await types(first)).toEqual(['plugin:installed bad', 'plugin:installed good']);
    await first.service.close();
    const { removePlugin } = await import('../../src/install/manage.ts');
    await removePlugin(bench.dir, 'bad');
    await enablePlugin(bench.dir, 'good', false);
    const second = await bench.start();
    expect((await types(second)).slice(2)).toEqual(['plugin:removed bad', 'plugin:disabled good']);
  });
});
