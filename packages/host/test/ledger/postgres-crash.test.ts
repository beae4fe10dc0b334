import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Passage } from '../../../../test/passage.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import { type LedgerStore, openPostgresLedger } from '../../src/ledger/index.ts';
import { serverAt } from '../../src/ledger/postgres/server.ts';
import { Session } from '../../src/ledger/postgres/session.ts';
import { all, expectAllOf, inProcess, said } from './scratch.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

async function opened(url: string): Promise<LedgerStore> {
  const ledger = await openPostgresLedger(url);
  onTestFinished(() => ledger.close());
  return ledger;
}

describe('processes on one database', () => {
  it('append at once: all is there, in one chain, and nobody was turned away', async () => {
    const url = await server.database();
    const children = ['1', '20', '50'].map((atOnce) => inProcess('appender.ts', [url, '300', atOnce]));
    const acknowledged: string[] = [];
    for (const child of children) child.lines.on('line', (line) => acknowledged.push(line));
    for (const child of children) expect(await child.ended, child.stderr()).toEqual([0, null]);
    expect(acknowledged).toHaveLength(1800);
    await expectAllOf(await openPostgresLedger(url), acknowledged);
  });

  it('that are killed lose nothing that was acknowledged, whenever that happens', async () => {
    const url = await server.database();
    const acknowledged: string[] = [];
    for (const atOnce of ['1', '7', '100']) {
      for (let time = 0; time < 2; time++) {
        const enough = acknowledged.length + Math.ceil(Math.random() * 300);
        const child = inProcess('appender.ts', [url, '1000000', atOnce]);
        child.lines.on('line', (line) => {
          acknowledged.push(line);
          if (acknowledged.length === enough) child.kill();
        });
        expect(await child.ended, child.stderr()).toEqual([null, 'SIGKILL']);
        await expectAllOf(await openPostgresLedger(url), acknowledged);
      }
    }
  });

  it('hear of each other while they follow', async () => {
    const url = await server.database();
    const ledger = await opened(url);
    const child = inProcess('appender.ts', [url, '30', '3']);
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const { id } of ledger.follow({ type: 'chat:*' }, ending.signal)) {
      seen.push(id);
      if (seen.length === 30) ending.abort();
    }
    expect(await child.ended, child.stderr()).toEqual([0, null]);
    expect(seen).toEqual((await all(ledger.events())).map(({ id }) => id));
  });

  it('are not held up for ever by one that stands still while it writes', async () => {
    const url = await server.database();
    const ledger = await opened(url);
    const frozen = await Session.open(serverAt(url));
    onTestFinished(() => frozen.end());
    await frozen.ask('BEGIN; SELECT * FROM chain FOR UPDATE');
    expect((await ledger.append(said('hello'))).event.seq).toBe(1);
    await expect(frozen.ask('COMMIT')).rejects.toThrow();
  });

  it('settle the same deliveries in any order without standing in each other’s way', async () => {
    const url = await server.database();
    const [one, other] = [await opened(url), await opened(url)];
    const owes = Array.from({ length: 40 }, (_, i) => ({ plugin: 'a', handler: `a#${i}` }));
    const { deliveries } = await one.append(said('hello'), owes);
    const ids = deliveries.map(({ id }) => id);
    const settleAll = (ledger: LedgerStore, order: readonly string[]) =>
      Promise.all(order.map((id) => ledger.settle(id, { status: 'failed' })));
    const [forth, back] = await Promise.all([settleAll(one, ids), settleAll(other, ids.toReversed())]);
    expect([...forth, ...back].filter((hasChanged) => hasChanged)).toHaveLength(ids.length);
    expect(await one.failing()).toHaveLength(ids.length);
  });
});

describe('a server that is restarted', () => {
  it.each(['INT', 'QUIT'] as const)(
    'in the middle of it all (SIG%s) loses nothing, and all goes on',
    async (signal) => {
      const url = await server.database();
      const ledger = await opened(url);
      const kept: string[] = [];
      const refused: string[] = [];
      const unsure: string[] = [];
      let isOver = false;
      const appending = Array.from({ length: 5 }, async () => {
        while (!isOver) {
          const payload = said('hello');
          await ledger.append(payload, [{ plugin: 'a', handler: 'a#1' }]).then(
            () => kept.push(payload.event_id),
            (error) => {
              expect(error).toMatchObject({ code: 'LEDGER_WRITE' });
              refused.push(payload.event_id);
              if (String(error.hint).includes('not known')) unsure.push(payload.event_id);
            },
          );
          if (refused.length > 0) await sleep(1);
        }
      });
      await expect.poll(() => kept.length).toBeGreaterThan(20);
      await server.stop(signal);
      await expect.poll(() => refused.length).toBeGreaterThan(5);
      await expect(all(ledger.events())).rejects.toMatchObject({ code: 'LEDGER_WRITE' });
      const before = kept.length;
      await server.start();
      await expect.poll(() => kept.length).toBeGreaterThan(before + 20);
      isOver = true;
      await Promise.all(appending);
      const ids = (await all(ledger.events())).map(({ id }) => id);
      expect(ids.filter((id) => !unsure.includes(id)).toSorted()).toEqual(kept.toSorted());
      expect(await ledger.verify()).toMatchObject({ ok: true, events: ids.length });
      expect(await ledger.owedPlugins()).toEqual([{ plugin: 'a', count: ids.length, due_at: null }]);
    },
  );

  it('is heard of again by who follows', async () => {
    const url = await server.database();
    const [ledger, other] = [await opened(url), await opened(url)];
    const ending = new AbortController();
    const seen: number[] = [];
    await other.append(said('before'));
    for await (const { seq } of ledger.follow({}, ending.signal)) {
      seen.push(seq);
      if (seen.length === 2) ending.abort();
      else {
        await server.stop();
        await server.start();
        await other.append(said('after')).catch(() => other.append(said('after')));
      }
    }
    expect(seen).toEqual([1, 2]);
  });
});

describe('a connection that is lost at the commit', () => {
  /** A ledger behind a passage that cuts the first connection on which somebody commits, and then maybe all others. */
  async function cutting(when: 'before' | 'after', forHowLong: 'once' | 'until it is mended' = 'once') {
    const url = await server.database();
    const passage = await Passage.start(server.port);
    onTestFinished(() => passage.close());
    const ledger = await opened(url.replace(`:${server.port}`, `:${passage.port}`));
    const mend = () => {
      passage.fromClient = (bytes) => bytes;
      passage.fromServer = (bytes) => bytes;
    };
    const cut = () => {
      if (forHowLong === 'once') mend();
      else passage.fromClient = () => undefined;
      return undefined;
    };
    passage.fromClient = (bytes) => {
      if (!bytes.includes('COMMIT\0')) return bytes;
      if (when === 'before') return cut();
      passage.fromServer = cut;
      return bytes;
    };
    return { ledger, mend };
  }

  it('before it reached the server has changed nothing', async () => {
    const { ledger } = await cutting('before');
    await expect(ledger.append(said('lost'))).rejects.toMatchObject({ code: 'LEDGER_WRITE' });
    expect(await all(ledger.events())).toEqual([]);
    expect((await ledger.append(said('kept'))).event.seq).toBe(1);
  });

  it('after that is made up for: what was written is known to be', async () => {
    const { ledger } = await cutting('after');
    const told: number[] = [];
    ledger.on('appended', ({ event }) => told.push(event.seq));
    expect((await ledger.append(said('kept'))).event.seq).toBe(1);
    expect((await ledger.append(said('kept as well'))).event.seq).toBe(2);
    expect(told).toEqual([1, 2]);
    expect(await ledger.verify()).toMatchObject({ ok: true, events: 2 });
  });

  it('and does not come back leaves it open what was written, and says so of each change', async () => {
    const { ledger, mend } = await cutting('after', 'until it is mended');
    const payloads = ['a', 'b', 'c'].map((text) => said(text));
    const appended = await Promise.allSettled(payloads.map((payload) => ledger.append(payload)));
    for (const one of appended)
      expect(one).toMatchObject({ reason: { code: 'LEDGER_WRITE', hint: expect.stringContaining('not known') } });
    mend();
    for (const payload of payloads) expect(await ledger.append(payload)).toMatchObject({ known: true });
  });
});
