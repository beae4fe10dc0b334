import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Change, commit, recover } from '../../src/install/transaction.ts';

let dir: string;
let work: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'patchbay-change-'));
  work = join(dir, 'work');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(dir, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const read = (name: string) => readFileSync(join(dir, name), 'utf8');

/** Puts a new version of a plugin in place, and changes a config. */
function prepared(): Change {
  write('work/stage/plugin.json', 'new');
  write('plugins/p/plugin.json', 'old');
  const file = write('config', 'before');
  return {
    moves: [{ from: join(work, 'stage'), to: join(dir, 'plugins/p') }],
    removes: [],
    writes: [{ file, before: 'before', text: 'after' }],
  };
}

describe('a change of a project', () => {
  it('happens as a whole, and leaves neither backup nor journal', () => {
    commit(work, prepared());
    expect([read('plugins/p/plugin.json'), read('config')]).toEqual(['new', 'after']);
    expect(readdirSync(join(dir, 'plugins'))).toEqual(['p']);
    expect(readdirSync(work)).toEqual([]);
  });

  it('is undone as a whole when a step of it fails', () => {
    const change = prepared();
    const second = { from: join(dir, 'other'), to: join(write('a-file', ''), 'below') };
    write('other/x', '');
    expect(() => commit(work, { ...change, moves: [...change.moves, second] })).toThrow(
      expect.objectContaining({ code: 'PROJECT_WRITE' }),
    );
    expect([read('plugins/p/plugin.json'), read('config'), read('work/stage/plugin.json')]).toEqual([
      'old',
      'before',
      'new',
    ]);
    expect(existsSync(join(dir, 'plugins/p.bak'))).toBe(false);
    expect(existsSync(join(work, 'journal.json'))).toBe(false);
  });

  it('does not begin when a file was edited since it was read', () => {
    const change = prepared();
    write('config', 'edited');
    expect(() => commit(work, change)).toThrow(expect.objectContaining({ code: 'PROJECT_BUSY' }));
    expect([read('plugins/p/plugin.json'), read('config')]).toEqual(['old', 'edited']);
  });
});

describe('after a crash', () => {
  it('a change that was written down is finished', () => {
    write('work/journal.json', JSON.stringify(prepared()));
    recover(work);
    expect([read('plugins/p/plugin.json'), read('config')]).toEqual(['new', 'after']);
    expect(readdirSync(work)).toEqual([]);
  });

  it('one that was only prepared is swept away', () => {
    prepared();
    recover(work);
    expect([read('plugins/p/plugin.json'), read('config')]).toEqual(['old', 'before']);
    expect(readdirSync(work)).toEqual([]);
  });

  it('a file that somebody has edited meanwhile keeps the edit', () => {
    write('work/journal.json', JSON.stringify(prepared()));
    write('config', 'edited by hand');
    recover(work);
    expect([read('plugins/p/plugin.json'), read('config')]).toEqual(['new', 'edited by hand']);
  });
});
