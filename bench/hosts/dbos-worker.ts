/**
 * A process of DBOS: workflows of steps that take so many milliseconds and do nothing; until its parent is gone. Arguments: the URL
 * of the database, the milliseconds of a step, how many workflows at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { application, pollingMs, queue, workflow } from './dbos.ts';

const [systemDatabaseUrl = '', ms = '0', workerConcurrency = '4'] = process.argv.slice(2);
const result = { status: 'completed', summary: 'Nothing' };
const step = async () => {
  if (Number(ms) > 0) await sleep(Number(ms));
  return result;
};
DBOS.registerWorkflow(
  async (steps: number) => {
    for (let i = 0; i < steps; i++) await DBOS.runStep(step, { name: `step-${i}` });
  },
  { name: workflow },
);
DBOS.setConfig({ name: application, systemDatabaseUrl, executorID: `worker-${process.pid}`, logLevel: 'error' });
await DBOS.launch();
await DBOS.registerQueue(queue, { workerConcurrency: Number(workerConcurrency), minPollingIntervalMs: pollingMs });
process.once('disconnect', () => process.exit());
process.send?.('ready');
