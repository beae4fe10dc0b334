import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/index.ts';
import { all, expectAllOf, inProcess, ledgerFile, opened } from './scratch.ts';

const expectKept = async (file: string, acknowledged: readonly string[]) =>
  expectAllOf(await openLedger(file), acknowledged);

/** Each starts many processes, on machines that may be slow. */
const timeout = 120_000;

describe('a process that is killed', { timeout }, () => {
  it('loses nothing that was acknowledged, whenever that happens', async () => {
    const file = ledgerFile();
    const acknowledged: string[] = [];
    for (const atOnce of ['1', '7', '100', '1000']) {
      for (let time = 0; time < 4; time++) {
        const enough = acknowledged.length + Math.ceil(Math.random() * 300);
        const child = inProcess('appender.ts', [file, '1000000', atOnce]);
        child.lines.on('line', (line) => {
          acknowledged.push(line);
          if (acknowledged.length === enough) child.kill();
        });
        expect(await child.ended, child.stderr()).toEqual([null, 'SIGKILL']);
        await expectKept(file, acknowledged);
      }
    }
    expect(acknowledged.length).toBeGreaterThan(16);
  });

  it('leaves a whole ledger or none, even while it makes it', async () => {
    for (let time = 0; time < 6; time++) {
      const file = ledgerFile();
      const acknowledged: string[] = [];
      const child = inProcess('appender.ts', [file, '1000000', '5']);
      child.lines.on('line', (line) => acknowledged.push(line));
      while (!existsSync(dirname(file))) await sleep(1);
      await sleep(Math.random() * 12);
      child.kill();
      await child.ended;
      await expectKept(file, acknowledged);
    }
  });
});

describe('several processes', { timeout }, () => {
  it('append at once: all is there, in one chain, and nobody was turned away', async () => {
    const file = ledgerFile();
    const children = ['1', '20', '50'].map((atOnce) => inProcess('appender.ts', [file, '600', atOnce]));
    const acknowledged: string[] = [];
    for (const child of children) child.lines.on('line', (line) => acknowledged.push(line));
    for (const child of children) expect(await child.ended, child.stderr()).toEqual([0, null]);
    expect(acknowledged).toHaveLength(3600);
    await expectKept(file, acknowledged);
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('hear of each other while they follow', async () => {
    const file = ledgerFile();
    const ledger = await opened(file);
    const child = inProcess('appender.ts', [file, '30', '3']);
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const { id } of ledger.follow({ type: 'chat:*' }, ending.signal)) {
      seen.push(id);
      if (seen.length === 30) ending.abort();
    }
    expect(await child.ended, child.stderr()).toEqual([0, null]);
    expect(seen).toEqual((await all(ledger.events())).map(({ id }) => id));
    expect(new Set(seen).size).toBe(30);
  });

  it('do not disturb one that verifies', async () => {
    const file = ledgerFile();
    const ledger = await opened(file);
    const child = inProcess('appender.ts', [file, '1500', '10']);
    await once(child.lines, 'line');
    const found: number[] = [];
    let over = false;
    void child.ended.then(() => {
      over = true;
    });
    while (!over) {
      const { ok, events } = await ledger.verify();
      expect(ok).toBe(true);
      found.push(events);
    }
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(await ledger.verify()).toMatchObject({ ok: true, events: 1500 });
  });
});
