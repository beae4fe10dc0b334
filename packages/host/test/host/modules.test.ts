import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Bench, moduleForm } from './fixture.ts';

const guard = `export default {
  name: 'guard', version: '1.0.0',
  hooks: { 'run:started': () => ({ verdict: 'block', message: 'not on Fridays' }), 'turn:accepted'(p, { log }) {
    log.info('pid ' + process.pid); } },
};`;

describe('A module of an installed package', () => {
  it('runs in a process of its own, and writes to its log', async () => {
    const bench = new Bench('patchbay');
    await bench.install('guard', moduleForm('guard', ['run:started', 'turn:accepted'], guard));
    const { emit, service, deliveries, host } = await bench.start();
    await emit('turn:accepted');
    await service.rest();
    const [row] = await deliveries({ event: 'turn:accepted' });
    const digest = expect.stringMatching(/^sha512-/);
    expect(row).toMatchObject({ plugin: 'guard', status: 'ok', plugin_version: '1.0.0', plugin_digest: digest });
    await host.close();
    const log = readFileSync(bench.file('.patchbay/logs/guard.log'), 'utf8');
    expect(log).toMatch(/"msg":"pid \d+"/);
    expect(log).not.toContain(`pid ${process.pid}"`);
  });

  it('may refuse an event only if it was let', async () => {
    const bench = new Bench('patchbay');
    await bench.install('guard', moduleForm('guard', ['run:started', 'turn:accepted'], guard));
    const first = await bench.start();
    await first.emit('run:started');
    await first.host.close();
    const asking = moduleForm('guard', ['run:started', 'turn:accepted'], guard, { block: ['run:started'] });
    await bench.install('guard', asking, { force: true });
    const second = await bench.start();
    await expect(second.emit('run:started')).rejects.toMatchObject({
      code: 'HOOK_REFUSED',
      message: expect.stringContaining('not on Fridays'),
    });
  });

  it('is described once for the same files: later starts do not start it', async () => {
    const bench = new Bench('patchbay');
    await bench.install('guard', moduleForm('guard', ['run:started', 'turn:accepted'], guard));
    await (await bench.open()).close();
    const [file = ''] = readdirSync(bench.file('.patchbay/cache'));
    const known = JSON.parse(readFileSync(bench.file(`.patchbay/cache/${file}`), 'utf8'));
    known.handlers = known.handlers.slice(0, 1);
    writeFileSync(bench.file(`.patchbay/cache/${file}`), JSON.stringify(known));
    const { kernel } = await bench.open();
    expect(kernel.hooksOf('guard')).toEqual(['run:started']);
  });

  it('runs in the process of the host if the operator trusts it', async () => {
    const bench = new Bench('patchbay');
    await bench.install('guard', moduleForm('guard', ['run:started', 'turn:accepted'], guard));
    const text = readFileSync(bench.file('patchbay.yaml'), 'utf8');
    writeFileSync(bench.file('patchbay.yaml'), `${text.trimEnd()}\n    trusted: true\n`);
    const { emit, service, host } = await bench.start();
    await emit('turn:accepted');
    await service.rest();
    await host.close();
    expect(readFileSync(bench.file('.patchbay/logs/guard.log'), 'utf8')).toContain(`pid ${process.pid}"`);
  });

  it('sees of the environment what it was granted, and nothing else', async () => {
    const bench = new Bench('patchbay');
    const text = `export default { name: 'env', version: '1.0.0', hooks: { 'turn:accepted'(p, { log }) {
      log.info(Object.keys(process.env).sort().join(',') + ' ' + process.env.GIVEN); } } };`;
    await bench.install('env', moduleForm('env', ['turn:accepted'], text, { env: ['GIVEN'] }));
    const { emit, service, host } = await bench.start({ env: { GIVEN: 'yes', SECRET_TOKEN: 'no' } });
    await emit('turn:accepted');
    await service.rest();
    await host.close();
    const { msg } = JSON.parse(readFileSync(bench.file('.patchbay/logs/env.log'), 'utf8')) as { msg: string };
    const [names = '', value] = msg.split(' ');
    expect(value).toBe('yes');
    for (const name of names.split(',')) expect(['GIVEN', 'HOME', 'LANG', 'PATH', 'TMPDIR', 'TZ']).toContain(name);
  });
});
