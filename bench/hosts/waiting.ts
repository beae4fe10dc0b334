import { setTimeout as sleep } from 'node:timers/promises';
import { openHost } from '../../packages/host/src/host.ts';
import type { PostgresServer } from '../../test/postgres.ts';
import { inFolder } from '../deliveries/project.ts';
import { runMany, templateOf } from '../runs/idle.ts';
import { cpuMs } from './cpu.ts';
import { postmasterOf } from './rate.ts';
import { folders, makeProject, ours } from './side.ts';
import { withWorkers } from './workers.ts';

/** Of a core, what hosts and their database use that have nothing to do. */
export interface Idling {
  readonly hosts: number;
  readonly database: number;
}

/** Has so many runs wait for people, and looks for a while at hosts that serve. */
export function idling(server: PostgresServer, hosts: number, runs: number, ms: number): Promise<Idling> {
  return inFolder(async (dir) => {
    const url = await server.database();
    await begin(`${dir}/first`, url, runs);
    const [row] = await server.run(`SELECT count(*) AS n FROM patchbay.runs WHERE status = 'waiting'`, url);
    if (Number(row?.['n']) !== Math.max(1, runs)) throw new Error(`${row?.['n']} of ${runs} runs wait`);
    // What the server puts in order after so many rows were written is no cost of waiting.
    await server.run('VACUUM ANALYZE', url);
    await server.run('CHECKPOINT', url);
    const wanted = folders(dir, hosts).map((folder) => ours('folder').worker(url, folder, { runs, turns: 1, ms: 0 }));
    return withWorkers(wanted, async ({ pids }) => {
      const postmaster = await postmasterOf(server);
      await calm(() => cpuMs([...pids, postmaster]));
      const now = () => ({ at: performance.now(), hosts: cpuMs(pids), database: cpuMs([postmaster]) });
      const before = now();
      await sleep(ms);
      const after = now();
      const taken = after.at - before.at;
      return {
        hosts: (after.hosts - before.hosts) / taken,
        database: (after.database - before.database) / taken,
      };
    });
  });
}

/** A host that has begun so many runs, which wait, and is gone. */
async function begin(dir: string, url: string, runs: number): Promise<void> {
  makeProject(dir, 'folder');
  const host = await openHost({ cwd: dir, version: '0.1.0', env: { ...process.env, PATCHBAY_DATABASE_URL: url } });
  try {
    // One at least: whatever is only there once a run was carried out is no cost of many.
    await runMany(await host.start(), templateOf(1, 'human'), Math.max(1, runs));
  } finally {
    await host.close();
  }
}

/** Resolves when hardly anything is used any more: they have looked at all there is. */
async function calm(used: () => number): Promise<void> {
  const [step, most] = [2000, 600_000];
  let [before, calmFor] = [used(), 0];
  for (let passed = 0; passed < most; passed += step) {
    await sleep(step);
    const now = used();
    calmFor = (now - before) / step < 0.05 ? calmFor + 1 : 0;
    // Once may be chance, on a machine that has more to do.
    if (calmFor === 2) return;
    before = now;
  }
  throw new Error('hosts that have nothing to do are at work');
}
