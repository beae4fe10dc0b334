import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess, ledgerFile } from './scratch.ts';

/** A small disk of one's own, where the system allows it. */
const smallDisk = (dir: string) => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=4m none "$0" && exec "$@"',
  dir,
];
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

describe('storage', { timeout: 120_000 }, () => {
  it('needs no more memory for a flood of events that nobody waits for', async () => {
    const file = ledgerFile();
    // All of them at once would be more than twice as large.
    const child = inProcess('flooder.ts', [file, '100000'], { flags: ['--max-old-space-size=64'] });
    const [[line]] = await Promise.all([once(child.lines, 'line').catch(() => ['nothing']), child.ended]);
    expect(line, child.stderr().slice(0, 500)).toBe('100000');
  });

  it.runIf(canMount)('that is full refuses clearly, loses nothing, and works again when there is room', async () => {
    const dir = dirname(ledgerFile());
    mkdirSync(dir);
    const child = inProcess('filler.ts', [`${dir}/ledger.db`], { before: smallDisk(dir) });
    const lines: string[] = [];
    child.lines.on('line', (line) => lines.push(line));
    expect(await child.ended, child.stderr()).toEqual([0, null]);
    const done = { codes: ['LEDGER_WRITE'], together: true, ok: true, lost: 0, owed: true };
    expect(JSON.parse(lines[0] ?? '')).toEqual(done);
  });
});
