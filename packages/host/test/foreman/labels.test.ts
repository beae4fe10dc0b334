import { describe, expect, it } from 'vitest';
import { lackingWith } from '../../src/runs/labels.ts';
import { FakeHosts } from '../hosts/fake-peers.ts';
import { Pretend, story, templateOf } from '../runs/fixture.ts';
import { becomes, site, soon } from './fixture.ts';

const lacks = (...labels: string[]) => ({ lacks: lackingWith(labels, { runsOn: {} }) });
const runsOn = { trainer: ['gpu'], packer: ['macos'] };
const training = templateOf({ train: ['trainer'] }, { runsOn });

describe('a run whose next turn this host cannot play', () => {
  it('waits, says for whom, and keeps no other one waiting', async () => {
    const { ask, hire, ledger } = await site(new Pretend(), undefined, lacks());
    const heard: string[] = [];
    const foreman = hire({ atOnce: 1, troubled: (_, latest) => latest !== undefined && heard.push(latest.message) });
    await ask('run-1', training);
    await soon(() => expect(foreman.troubles).toHaveLength(1));
    const message = 'role "trainer" waits for a host with label gpu';
    expect(foreman.troubles).toMatchObject([
      { run_id: 'run-1', code: 'HOST_LABELS', message, attempts: 0, next_at: null },
    ]);
    await ask('run-2', templateOf({ building: ['developer'] }));
    await becomes(ledger, 'run-2', 'completed');
    expect(heard).toEqual([message]);
    expect(await story(ledger)).toEqual(['run:started']);
    expect(foreman.busy).toEqual([]);
  });

  it('goes on when a host with the label comes, and is over for all', async () => {
    const first = await site(new Pretend(), undefined, lacks());
    const lame = first.hire();
    await first.ask('run-1', training);
    await soon(() => expect(lame.troubles).toHaveLength(1));
    await lame.close();
    const second = await site(new Pretend(), first.file, lacks('gpu'));
    const able = second.hire();
    await becomes(first.ledger, 'run-1', 'completed');
    expect(able.troubles).toEqual([]);
  });

  it('is played by turns on several hosts, without a word where there is one for each', async () => {
    const hosts = new FakeHosts();
    const workshops = [new Pretend(), new Pretend()];
    const first = await site(workshops[0], undefined, { ...lacks('gpu'), peers: hosts.host('a') });
    const second = await site(workshops[1], first.file, { ...lacks('macos'), peers: hosts.host('b') });
    const foremen = [first.hire(), second.hire()];
    const phases = { one: [['trainer', 'packer']], two: ['trainer'], three: ['packer'] };
    const ids = Array.from({ length: 10 }, (_, i) => `run-${i}`);
    for (const id of ids) await first.ask(id, templateOf(phases, { runsOn }));
    for (const id of ids) await becomes(first.ledger, id, 'completed');
    const [a, b] = workshops.map((one) => one.worked.toSorted());
    expect(a).toEqual([...Array(10).fill('one.trainer#1'), ...Array(10).fill('two.trainer#1')]);
    expect(b).toEqual([...Array(10).fill('one.packer#1'), ...Array(10).fill('three.packer#1')]);
    await soon(() => expect(foremen.map(({ troubles, busy }) => [...troubles, ...busy])).toEqual([[], []]));
  });

  it('is no trouble of a host on which it is held meanwhile', async () => {
    const { ask, hire, ledger } = await site(new Pretend(), undefined, lacks());
    const foreman = hire();
    await ask('run-1', templateOf({ train: ['trainer'] }, { runsOn, limits: { runTimeoutMs: 300 } }));
    await becomes(ledger, 'run-1', 'held');
    await soon(() => expect(foreman.troubles).toEqual([]));
  });
});
