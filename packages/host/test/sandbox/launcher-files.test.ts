import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { memoryDir } from '../../src/sandbox/launch/folder.ts';
import { folderPrefix } from '../../src/sandbox/launch/sweep.ts';
import { confinements, nap, Workshop } from './fixture.ts';

describe.each(confinements)('the files of a program, confined by %s', (confinement) => {
  let shop: Workshop;
  let outside: string;
  beforeAll(() => {
    shop = new Workshop(confinement);
    outside = mkdtempSync(join(tmpdir(), 'patchbay-outside-'));
    writeFileSync(join(outside, 'precious'), 'precious', { mode: 0o640 });
    mkdirSync(join(outside, 'folder'), { mode: 0o500 });
  });
  afterEach(() => {
    expect(shop.leftovers()).toEqual([]);
    expect(leftInMemory(shop.project)).toEqual([]);
  });
  afterAll(async () => {
    await shop.close();
    rmSync(outside, { recursive: true, force: true });
  });

  const files = { PAYLOAD: '{"text":"ü\\u2028"}', CONFIG: '{}' };

  function expectOutsideUntouched(): void {
    expect(readdirSync(outside).sort()).toEqual(['folder', 'precious']);
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('precious');
    expect(statSync(join(outside, 'precious')).mode & 0o777).toBe(0o640);
    expect(lstatSync(join(outside, 'folder')).mode & 0o777).toBe(0o500);
  }

  it('are found by their variables, with what they should hold', async () => {
    expect((await shop.run('cat "$PAYLOAD" "$CONFIG"', { files })).stdout.text).toBe(files.PAYLOAD + files.CONFIG);
  });

  it('can be read by their owner only, and so can the folder they are in', async () => {
    const { stdout } = await shop.run('stat -c %a "$PAYLOAD" "$CONFIG" "$(dirname "$PAYLOAD")" "$TMPDIR"', { files });
    expect(stdout.text).toBe('600\n600\n700\n700\n');
  });

  it('are under names that nobody can guess', async () => {
    const where = async () => (await shop.run('dirname "$PAYLOAD"', { files })).stdout.text;
    expect(await where()).not.toBe(await where());
  });

  it('are gone afterwards, with all that was put beside them', async () => {
    await shop.run('mktemp; mktemp -d; mkdir -p "$TMPDIR/a/b"; touch "$TMPDIR/a/b/c" "$(dirname "$CONFIG")/d"', {
      files,
    });
  });

  it.each([
    ['failed', 'exit 1', {}],
    ['was killed', 'kill -9 $$', {}],
    ['had no more time', `exec sleep ${nap()}`, { timeoutMs: 50 }],
  ])('are gone when it %s', async (_, script, more) => {
    await shop.run(`touch "$TMPDIR/x"; ${script}`, { files, ...more });
  });

  it('are gone even if folders among them are closed', async () => {
    await shop.run('mkdir -p "$TMPDIR/a/b"; touch "$TMPDIR/a/b/c"; chmod 0 "$TMPDIR/a/b" "$TMPDIR/a" "$TMPDIR"', {
      files,
    });
  });

  it('are gone even if they are nested deeper than a path can tell', async () => {
    const script =
      'cd "$TMPDIR"; name=$(printf "%0200d" 1); for i in $(seq 60); do mkdir $name && cd $name; done; touch end';
    const ended = await shop.run(script, { files });
    expect(ended.exitCode).toBe(0);
  });

  it('are gone even if their names are no text', async () => {
    await shop.run("cd \"$TMPDIR\"; touch $'\\xff\\xfe'; mkdir $'\\xfd'; touch $'\\xfd/\\n'", { files });
  });

  it('may be replaced by links to others, which stay as they are', async () => {
    await shop.run(`ln -sf ${outside}/precious "$PAYLOAD"; rm -rf "$TMPDIR"; ln -s ${outside} "$TMPDIR"`, { files });
    expectOutsideUntouched();
  });

  it('may be put beside links to others, closed ones too, which stay as they are', async () => {
    const script = `cd "$TMPDIR"; ln -s ${outside} a; ln -s ${outside}/folder b; mkdir c; ln -s ${outside} c/d; chmod 0 c`;
    await shop.run(script, { files });
    expectOutsideUntouched();
  });

  it('may have a folder that becomes a link to one with files of the same names', async () => {
    const others = mkdtempSync(join(tmpdir(), 'patchbay-outside-'));
    mkdirSync(join(others, 'tmp'));
    writeFileSync(join(others, 'PAYLOAD.json'), 'precious');
    await shop.run(`dir=$(dirname "$PAYLOAD"); rm -rf "$dir"; ln -s ${others} "$dir"`, { files });
    expect(readdirSync(others)).toEqual(['PAYLOAD.json', 'tmp']);
    rmSync(others, { recursive: true });
  });

  it('may go with their folder, which may become a link to another', async () => {
    await shop.run(`dir=$(dirname "$PAYLOAD"); rm -rf "$dir"; ln -s ${outside} "$dir"`, { files });
    expectOutsideUntouched();
  });
});

/** What jobs have left of what they were given. */
function leftInMemory(project: string): string[] {
  const dir = memoryDir();
  const names = dir === undefined ? [] : readdirSync(dir);
  return names.filter((name) => name.startsWith(folderPrefix(project)));
}
