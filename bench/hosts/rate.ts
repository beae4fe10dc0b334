import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { PostgresServer } from '../../test/postgres.ts';
import { inFolder } from '../deliveries/project.ts';
import { cpuMs } from './cpu.ts';
import { folders, type Side, type Work } from './side.ts';
import { withWorkers } from './workers.ts';

/** What processes have done in a while. */
export interface Rate {
  /** Turns, or steps, in a second. */
  readonly perSecond: number;
  /** Milliseconds of a core for each: processes and database together, and of that the database. */
  readonly cpu: number;
  readonly databaseCpu: number;
}

/** Has so many processes work, with more to do than they can, and looks for a while what they get done. */
export function rate(server: PostgresServer, side: Side, workers: number, work: Work, ms: number): Promise<Rate> {
  return inFolder(async (dir) => {
    const url = await server.database();
    const client = new Client({ connectionString: url });
    await client.connect();
    const done = async () => Number((await client.query(side.done)).rows[0].n);
    try {
      const wanted = folders(dir, workers).map((folder) => side.worker(url, folder, work));
      return await withWorkers(wanted, async ({ pids }) => {
        const postmaster = await postmasterOf(server);
        await side.enqueue(url, work);
        // All of them are at work, and warm.
        await until(async () => (await done()) >= 0.1 * work.runs * work.turns);
        const now = async () => ({
          at: performance.now(),
          n: await done(),
          cpu: cpuMs([...pids, postmaster]),
          databaseCpu: cpuMs([postmaster]),
        });
        const before = await now();
        await sleep(ms);
        const after = await now();
        const n = after.n - before.n;
        if (after.n >= work.runs * work.turns) throw new Error('there was not enough work');
        return {
          perSecond: (1000 * n) / (after.at - before.at),
          cpu: (after.cpu - before.cpu) / n,
          databaseCpu: (after.databaseCpu - before.databaseCpu) / n,
        };
      });
    } finally {
      await client.end();
    }
  });
}

/** The process id of the server. */
export async function postmasterOf(server: PostgresServer): Promise<number> {
  const [row] = await server.run(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`);
  return Number(row?.['pid']);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > 120_000) throw new Error('nothing was done in two minutes');
    await sleep(100);
  }
}
