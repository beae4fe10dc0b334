import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Mood, registry } from './npm-registry.ts';
import { bring, refusalOf, tree } from './scratch.ts';
import { tgzOf } from './tar-file.ts';

/** A package whose scripts would tell that they were run. */
function packed(version: string, marker = '/nonexistent'): Buffer {
  const scripts = Object.fromEntries(
    ['preinstall', 'install', 'postinstall', 'prepare', 'prepack'].map((name) => [name, `touch ${marker}`]),
  );
  return tgzOf([
    { path: 'package/package.json', content: JSON.stringify({ name: 'my-plugin', version, scripts }) },
    { path: 'package/lib/run.sh', content: version, mode: 0o755 },
  ]);
}

const versions = { '1.0.0': packed('1.0.0'), '1.4.2': packed('1.4.2'), '2.0.0': packed('2.0.0') };
const failing = async (mood: Mood, spec = 'my-plugin', timeoutMs = 20_000) =>
  refusalOf(spec, { registry: await registry('my-plugin', versions, mood), timeoutMs });

describe('a package of the registry', () => {
  it.each([
    ['my-plugin', '2.0.0', 'npm:my-plugin'],
    ['my-plugin@^1.0.0', '1.4.2', 'npm:my-plugin@^1.0.0'],
    ['my-plugin@1.0.0', '1.0.0', 'npm:my-plugin@1.0.0'],
    ['my-plugin@stable', '2.0.0', 'npm:my-plugin@stable'],
  ])('%s is brought in version %s, with the integrity that the registry announces', async (spec, version, source) => {
    const staged = await bring(spec, { registry: await registry('my-plugin', versions) });
    expect(staged).toMatchObject({
      source,
      resolved: { version, exact: `npm:my-plugin@${version}`, integrity: expect.stringMatching(/^sha512-/) },
    });
    expect(tree(staged.dir)).toContain(`lib/run.sh: 755 ${version}`);
  });

  it('may have a scope', async () => {
    const url = await registry('@scope/my-plugin', versions);
    const staged = await bring('@scope/my-plugin@1.0.0', { registry: url });
    expect(staged).toMatchObject({ source: 'npm:@scope/my-plugin@1.0.0', resolved: { version: '1.0.0' } });
  });

  it('runs none of its scripts', async () => {
    const marker = `/tmp/patchbay-script-ran-${process.pid}`;
    const url = await registry('my-plugin', { '1.0.0': packed('1.0.0', marker) });
    await bring('my-plugin', { registry: url });
    expect(existsSync(marker)).toBe(false);
  });

  it('is unpacked by the same rules as any archive, and refused, not mended', async () => {
    const evil = tgzOf([
      { path: 'package/plugin.json', content: '{}' },
      { path: 'package/../../evil', content: 'x' },
    ]);
    const error = await refusalOf('my-plugin', { registry: await registry('my-plugin', { '1.0.0': evil }) });
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('leads out') });
    expect(error.message).toContain('npm:my-plugin');
  });

  it('is refused if its tarball is no archive', async () => {
    const url = await registry('my-plugin', { '1.0.0': Buffer.from('no archive') });
    expect(await refusalOf('my-plugin', { registry: url })).toMatchObject({ code: 'SOURCE_INVALID' });
  });

  it('is not found if the registry answers 404', async () => {
    const error = await failing('missing');
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', exitCode: 2 });
    expect(error.message).toBe('npm:my-plugin: there is no such package in the registry');
  });

  it.each([
    ['^1.5.0', 'there are 1.0.0, 1.4.2, 2.0.0'],
    ['9', 'there are 1.0.0, 1.4.2, 2.0.0'],
    ['beta', 'there are latest, stable, 1.0.0, 1.4.2, 2.0.0'],
  ])('is not found in a version that matches %s, and the nearest are listed', async (range, what) => {
    const error = await failing('well', `my-plugin@${range}`);
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining(what) });
  });

  it('is not found in a version: of many, the five nearest are listed', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`1.${i}.0`, Buffer.from('x')]));
    const error = await refusalOf('my-plugin@1.20.5', { registry: await registry('my-plugin', many) });
    expect(error.message).toMatch(/there are 1\.18\.0, 1\.19\.0, 1\.20\.0, 1\.21\.0, 1\.22\.0$/);
  });

  it('is not found if there is no version at all', async () => {
    const error = await refusalOf('my-plugin', { registry: await registry('my-plugin', {}) });
    expect(error).toMatchObject({ code: 'SOURCE_INVALID', message: expect.stringContaining('no version') });
  });
});

describe('the registry is unavailable if it', () => {
  it.each<[string, Mood, RegExp]>([
    ['fails', 'broken', /the registry failed: 500/],
    ['refuses', 'forbidden', /refuses to give it/],
    ['answers with a web page', 'garbage', /the registry failed/],
    ['answers with something that is no package', 'not a package', /the registry failed/],
    ['answers about another package', 'another package', /answered about something else/],
    ['lists a version whose tarball is missing', 'tarball missing', /its tarball is missing/],
    ['breaks off in the tarball', 'tarball cut', /the registry failed/],
  ])('%s', async (_, mood, why) => {
    const error = await failing(mood);
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', exitCode: 1 });
    expect(error.message).toMatch(why);
    expect(error.message).toContain('npm:my-plugin');
  });

  it('does not answer in time', async () => {
    const started = performance.now();
    const error = await failing('silent', 'my-plugin', 300);
    expect(error.code).toBe('SOURCE_UNAVAILABLE');
    expect(error.message).toBe('npm:my-plugin: the registry did not answer within 0.3 s');
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('never stops to describe the package', async () => {
    const url = await registry('my-plugin', versions, 'endless');
    const error = await refusalOf('my-plugin', { registry: url, limits: { bytes: 1024 } });
    expect(error).toMatchObject({ code: 'SOURCE_UNAVAILABLE', message: expect.stringContaining('sends too much') });
  });

  it('cannot be reached, and a password in its URL is not repeated', async () => {
    const error = await refusalOf('my-plugin', { registry: 'http://me:hunter2@127.0.0.1:1/' });
    expect(error.code).toBe('SOURCE_UNAVAILABLE');
    expect(error.message).not.toContain('hunter2');
  });
});

describe('a package of the registry is unsafe if', () => {
  it('its tarball is not what the registry has announced', async () => {
    const error = await failing('tampered');
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('integrity differs') });
  });

  it('the registry announces no integrity', async () => {
    const error = await failing('no integrity');
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('announces no integrity') });
  });

  it('its tarball never ends', async () => {
    const url = await registry('my-plugin', versions, 'tarball endless');
    const error = await refusalOf('my-plugin', { registry: url, limits: { bytes: 1024 * 1024 } });
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', message: expect.stringContaining('larger than 1048576') });
  });
});
