import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removeBundle, sealBundle, verifyBundle } from '../../src/workspaces/index.ts';
import { read, scratch } from './fixture.ts';

const files = { 'goal.md': 'Mend the test.\n', 'earlier/decisions.json': '[]', 'ä b.txt': '' };

function place(): string {
  const dir = join(scratch(), 'bundle');
  onTestFinished(() => removeBundle(dir));
  return dir;
}

describe('a sealed bundle', () => {
  it('has its files, which nobody may write to, and a digest for each and for all', () => {
    const dir = place();
    const sealed = sealBundle(dir, files);
    expect(sealed.path).toBe(dir);
    expect(sealed.files.map(({ path }) => path)).toEqual(['earlier/decisions.json', 'goal.md', 'ä b.txt']);
    expect(sealed.files[2]?.sha256).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(read(dir, 'goal.md')).toBe('Mend the test.\n');
    const modes = ['.', 'earlier', 'goal.md', 'earlier/decisions.json'].map(
      (path) => lstatSync(join(dir, path)).mode & 0o777,
    );
    expect(modes).toEqual([0o555, 0o555, 0o444, 0o444]);
    expect(verifyBundle(dir, sealed)).toBe(true);
  });

  it('has the same digest for the same files, in any order and place, and another for others', () => {
    const one = sealBundle(place(), files);
    const same = sealBundle(place(), Object.fromEntries(Object.entries(files).reverse()));
    expect(same.sha256).toBe(one.sha256);
    expect(sealBundle(place(), { ...files, 'goal.md': 'x' }).sha256).not.toBe(one.sha256);
    expect(sealBundle(place(), { ...files, more: '' }).sha256).not.toBe(one.sha256);
  });

  it('can be sealed again over what is there', () => {
    const dir = place();
    sealBundle(dir, { old: 'x', 'deep/er/old': 'x' });
    mkdirSync(`${dir}.next`);
    writeFileSync(join(`${dir}.next`, 'left-by-a-killed-host'), '');
    const sealed = sealBundle(dir, files);
    expect(verifyBundle(dir, sealed)).toBe(true);
    expect(existsSync(join(dir, 'old'))).toBe(false);
    expect(existsSync(`${dir}.next`)).toBe(false);
  });

  it.each<[string, (dir: string) => void]>([
    ['a file was changed', (dir) => rewrite(join(dir, 'goal.md'), 'x')],
    ['a file was added', (dir) => rewrite(join(dir, 'more.md'), 'x')],
    ['a file was removed', (dir) => rmSync(join(dir, 'goal.md'))],
    ['a file became a link to the same content', (dir) => linked(dir)],
    ['it is gone', (dir) => removeBundle(dir)],
  ])('is no longer the same if %s', (_, act) => {
    const dir = place();
    const sealed = sealBundle(dir, files);
    chmodSync(dir, 0o755);
    act(dir);
    expect(verifyBundle(dir, sealed)).toBe(false);
  });

  it('is not the same as a list of files that was changed', () => {
    const dir = place();
    const sealed = sealBundle(dir, files);
    expect(verifyBundle(dir, { ...sealed, files: sealed.files.slice(1) })).toBe(false);
  });

  it.each(['../out', '/etc/passwd', 'a/../../b', '.', '', 'a//b', './a', 'a\\b'])(
    'takes no file called "%s"',
    (path) => {
      expect(() => sealBundle(place(), { [path]: 'x' })).toThrow('is no path in a bundle');
    },
  );
});

function rewrite(file: string, content: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, content);
}

function linked(dir: string): void {
  const copy = join(scratch(), 'copy');
  writeFileSync(copy, files['goal.md']);
  rmSync(join(dir, 'goal.md'));
  symlinkSync(copy, join(dir, 'goal.md'));
}
