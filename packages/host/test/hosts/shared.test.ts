import { sample } from 'patchbay-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { Passage } from '../../../../test/passage.ts';
import { PostgresServer } from '../../../../test/postgres.ts';
import type { HostFacts } from '../../src/hosts/peers.ts';
import { type Patience, SharedPeers } from '../../src/hosts/shared.ts';
import { openPostgresLedger } from '../../src/ledger/index.ts';

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  url = await server.database();
});

const quick: Partial<Patience> = { beat: 100, gone: 300, silent: 2000, cutOff: 1000, grace: 0 };

async function join(name: string, { at = url, patience = quick }: { at?: string; patience?: Partial<Patience> } = {}) {
  const said: string[] = [];
  const facts: HostFacts = { name, version: '1.0.0', labels: [], serving: false, api: null, atOnce: null };
  const peers = await SharedPeers.join(at, { facts, patience, warn: (message) => said.push(message) });
  onTestFinished(() => peers.close());
  return Object.assign(peers, { said });
}

const through = ({ port }: Passage) => url.replace(`:${server.port}/`, `:${port}/`);
const nothing = () => Buffer.alloc(0);
const everything = (bytes: Buffer) => bytes;
const cut = (passage: Passage) => Object.assign(passage, { fromClient: nothing, fromServer: nothing });
const mend = (passage: Passage) => Object.assign(passage, { fromClient: everything, fromServer: everything });
const free = (peers: SharedPeers, key: string) => eventually(() => expect(peers.isElsewhere('run', key)).toBe(false));

describe('hosts on one database', () => {
  it('have each thing to themselves, until they give it back', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const claim = await a.take('run', 'run-1');
    expect(claim).toBeDefined();
    expect(await b.take('run', 'run-1')).toBeUndefined();
    expect(await b.take('run', 'run-2')).toBeDefined();
    expect(await b.take('plugin', 'run-1')).toBeDefined();
    await eventually(() => expect(b.isElsewhere('run', 'run-1')).toBe(true));
    let freed = 0;
    b.onFreed(() => {
      freed += 1;
    });
    await claim?.release();
    await free(b, 'run-1');
    expect(freed).toBeGreaterThan(0);
    expect(await b.take('run', 'run-1')).toBeDefined();
  });

  it('may take twice what they have', async () => {
    const a = await join('a');
    expect(await a.take('run', 'run-1')).toBeDefined();
    expect(await a.take('run', 'run-1')).toBeDefined();
  });

  it('of many that want the same, one gets it', async () => {
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => join(name)));
    const got = await Promise.all(all.flatMap((peers) => [peers.take('run', 'run-1'), peers.take('run', 'run-2')]));
    expect(got.filter((claim) => claim !== undefined)).toHaveLength(2);
  });

  it('that leave, leave nothing behind', async () => {
    const [a, b] = [await join('a'), await join('b')];
    await a.take('run', 'run-1');
    await a.close();
    await eventually(async () => expect(await b.take('run', 'run-1')).toBeDefined());
    expect(await server.run('SELECT name FROM patchbay.hosts', url)).toEqual([{ name: 'b' }]);
  });

  it('that are cut off lose what they had before others take it, and come back by themselves', async () => {
    const passage = await Passage.start(server.port);
    onTestFinished(() => passage.close());
    const [a, b] = [await join('a', { at: through(passage) }), await join('b')];
    const claim = await a.take('run', 'run-1');
    const before = a.id;
    cut(passage);
    await eventually(() => expect(claim?.lost.aborted).toBe(true));
    expect(a.said).toEqual([expect.stringContaining('does not answer')]);
    expect(await a.take('run', 'run-9')).toBeUndefined();
    await eventually(async () => expect(await b.take('run', 'run-1')).toBeDefined());
    mend(passage);
    await eventually(() => expect(a.said.at(-1)).toContain('joined the others again'));
    expect(a.id).not.toBe(before);
    expect(await a.take('run', 'run-1')).toBeUndefined();
    expect(await a.take('run', 'run-9')).toBeDefined();
  });

  it('one that was fenced writes nothing more under its old name, and something under its new one', async () => {
    const passage = await Passage.start(server.port);
    onTestFinished(() => passage.close());
    const b = await join('b');
    const a = await join('a', { at: through(passage), patience: { ...quick, cutOff: 60_000 } });
    const old = a.id;
    const ledger = await openPostgresLedger(url, { host: () => old });
    onTestFinished(() => ledger.close());
    const run_id = 'run-1';
    const begun = await ledger.append(sample('run:started', { run_id }), []);
    const claim = await a.take('run', run_id);
    cut(passage);
    await eventually(async () => expect(await b.take('run', run_id)).toBeDefined());
    const late = ledger.append(sample('run:completed', { run_id }), [], { after: begun.event.seq });
    await expect(late).rejects.toMatchObject({ code: 'HOST_FENCED' });
    mend(passage);
    await eventually(() => expect(claim?.lost.aborted).toBe(true));
    await eventually(() => expect(a.id).not.toBe(old));
    const renewed = await openPostgresLedger(url, { host: () => a.id });
    onTestFinished(() => renewed.close());
    expect((await renewed.append(sample('run:started', { run_id: 'run-2', event_id: 'another' }))).known).toBe(false);
  });

  it('keep what they have while the server is started again', async () => {
    const own = await PostgresServer.start();
    onTestFinished(() => own.remove());
    const at = await own.database();
    const patience = { ...quick, gone: 100, cutOff: 60_000, grace: 5000 };
    const [a, b] = [await join('a', { at, patience }), await join('b', { at, patience })];
    const [one, two] = [await a.take('run', 'run-1'), await b.take('run', 'run-2')];
    await own.stop('QUIT');
    await own.start();
    await eventually(async () => {
      const held = "SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND granted";
      expect(await own.run(held, at)).toEqual([{ held: 2 }]);
    });
    expect([one?.lost.aborted, two?.lost.aborted]).toEqual([false, false]);
    expect(await a.take('run', 'run-2')).toBeUndefined();
    expect(await a.take('run', 'run-3')).toBeDefined();
    expect([...a.said, ...b.said]).toEqual([]);
  });
});
