/**
 * A host that serves its own copy of a project, whose agents take so many milliseconds and do nothing; until its parent is gone.
 * Arguments: the project, the milliseconds of a turn, how many runs at once, and whether turns have `files`: workspaces, bundles,
 * results. Without, what is left is the engine.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin, type TurnWork } from 'patchbay-sdk';
import { type Host, openHost } from '../../packages/host/src/host.ts';
import { Foreman } from '../../packages/host/src/runs/foreman.ts';
import { Runs } from '../../packages/host/src/runs/runs.ts';
import type { Workshop } from '../../packages/host/src/runs/workshop.ts';
import { idle } from '../runs/idle.ts';

const [cwd = '', takes = '0', runsAtOnce = '4', turnsHave = 'files'] = process.argv.slice(2);
const [ms, atOnce] = [Number(takes), Number(runsAtOnce)];
const work = async () => {
  if (ms > 0) await sleep(ms);
};
const run = async ({ result_file }: TurnWork) => {
  await work();
  writeFileSync(result_file, JSON.stringify({ summary: 'Nothing' }));
};
const core = definePlugin({ name: 'core', version: '1.0.0', provides: { agentCore: () => ({ name: 'idle', run }) } });
const warn = (message: string) => void process.stderr.write(`${message}\n`);
const host = await openHost({ cwd, version: '0.1.0', builtins: [core], onWarning: warn });
const stop = await (turnsHave === 'files' ? serve(host) : carryOn(host));
process.once('disconnect', () => void stop());
process.send?.('ready');

async function serve(served: Host): Promise<() => Promise<void>> {
  await served.serve({ port: 0, webhookPort: 0, runsAtOnce: atOnce, troubled: warn, warn });
  return () => served.close();
}

async function carryOn(started: Host): Promise<() => Promise<void>> {
  const service = await started.start();
  const workshop: Workshop = { ...idle, work: (...turn) => work().then(() => idle.work(...turn)) };
  const runs = new Runs({ ...service, workshop, approvers: () => ({}), cores: [], coreOf: () => 'idle' });
  const foreman = new Foreman({ ...service, runs, atOnce });
  foreman.start();
  return async () => {
    await foreman.close();
    await started.close();
  };
}
