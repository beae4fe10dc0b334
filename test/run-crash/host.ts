/**
 * A life of a host that carries the run of a project to its end, unless it is killed at the moment that KILL_AT names. Asks
 * for the run, or finds it; approves it where it waits. Prints what came of it, as an `Outcome`. Arguments: the project, and a
 * file for the moments that pass.
 */

import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTemplate, openHost, requestDay, type Service } from 'patchbay-host';
import type { AnyPlugin, TurnWork } from 'patchbay-sdk';
import { scriptCore } from 'plugin-cores';
import { requestRun } from '../../packages/host/src/runs/load.ts';
import { ProjectWorkshop } from '../../packages/host/src/runs/project-workshop.ts';
import { Launcher } from '../../packages/host/src/sandbox/launcher.ts';
import { outcomeOf } from './outcome.ts';
import { Points } from './points.ts';

const [cwd = '', trace = ''] = process.argv.slice(2);
const points = new Points(trace, process.env['KILL_AT']);
const run_id = 'run-1';

/** Git commands that change something; the others only look. */
const changing = ['worktree', 'read-tree', 'commit-tree', 'merge-tree', 'unpack-objects', 'update-ref', 'symbolic-ref'];

function watchGit(): void {
  const { spawn } = childProcess;
  childProcess.spawn = ((command: string, args: readonly string[], options: object) => {
    const verb = command === 'git' ? changing.find((one) => args.includes(one)) : undefined;
    if (verb !== undefined) points.pass(`before git ${verb}`);
    const child = spawn(command, args, options);
    if (verb !== undefined) points.pass(`during git ${verb}`);
    return child;
  }) as typeof spawn;
}

/** A file of a run that was opened, but not written yet, when the power went. */
function watchFiles(): void {
  const { writeFileSync } = fs;
  fs.writeFileSync = (file, data, options) => {
    const name = String(file);
    if (name.includes('/.patchbay/runs/')) {
      points.pass(`empty ${basename(name)}`, () => writeFileSync(file, '', options));
    }
    writeFileSync(file, data, options);
  };
}

function watchWork(): void {
  const work = ProjectWorkshop.prototype;
  points.around(work, 'prepare', ({ turn_id, attempt }) => `prepare ${turn_id}#${attempt}`);
  points.around(work, 'work', (_, { turn_id, attempt }) => `work ${turn_id}#${attempt}`);
  points.around(work, 'keep', (_, { turn_id, attempt }) => `keep ${turn_id}#${attempt}`);
  points.around(work, 'folder', ({ phase }) => `folder in ${phase}`);
  points.around(work, 'close', () => 'close');
  points.around(Launcher.prototype, 'run', ({ argv }) => (argv[1] === '-c' ? `verify ${argv[2]}` : undefined));
}

/** The core of the script, with the moment at which its program has begun. */
function watchedCore(): AnyPlugin {
  const core = scriptCore.provides?.agentCore?.({}, {} as never) as {
    name: string;
    run(turn: TurnWork): Promise<void>;
  };
  const { run } = core;
  const watched = {
    ...core,
    run: async (turn: TurnWork) => {
      const before = starts(turn);
      let isDone = false;
      const done = run(turn).finally(() => {
        isDone = true;
      });
      while (!isDone && starts(turn) === before) await Promise.race([done, sleep(5)]);
      points.pass(`during core ${turn.turn_id}#${turn.attempt}`);
      await done;
    },
  };
  points.around(watched, 'run', ({ turn_id, attempt }) => `core ${turn_id}#${attempt}`);
  return { ...scriptCore, provides: { agentCore: () => watched } } as AnyPlugin;
}

/** How often an agent has noted that it begins with this turn. */
function starts({ key }: TurnWork): number {
  const file = join(process.env['CRASH_NOTES'] ?? '', 'agents');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split(`start ${key}\n`).length - 1 : 0;
}

function watchLedger({ ledger }: Service): void {
  points.around(ledger, 'requestRun', () => 'request');
  points.around(ledger, 'settle', () => 'settle');
  points.around(ledger, 'append', ({ event, turn_id, attempt }) =>
    turn_id === null ? `append ${event}` : `append ${event} ${turn_id}#${attempt}`,
  );
}

watchGit();
watchFiles();
syncBuiltinESMExports();
watchWork();
const host = await openHost({ cwd, version: '0.0.0', builtins: [watchedCore()] });
if (host.quarantined.length > 0) throw new Error(JSON.stringify(host.quarantined));
const service = await host.start();
watchLedger(service);
const { project } = host;
if (project !== undefined && fs.existsSync(join(cwd, 'plan.yaml'))) {
  await requestDay({ project, ledger: service.ledger, runs: service.runs }, { day: 1, by: 'ada', run_id });
} else {
  const template = findTemplate('crash', cwd);
  await requestRun(service.ledger, { run_id, template, goal: 'Two halves', by: 'ada' });
}
let state = await service.runs.advance(run_id);
if (state.status === 'waiting') {
  await service.runs.vote(run_id, { by: 'bob', decision: 'approved', comment: null });
  state = await service.runs.advance(run_id);
}
await service.rest();
process.stdout.write(JSON.stringify(await outcomeOf(service.ledger, state)));
await host.close();
