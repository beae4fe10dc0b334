import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openHost } from 'patchbay-host';
import { newRecord } from 'patchbay-host/kernel';
import { type EventName, type Log, messageOf, PatchbayError, type Payload, sample } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { writeProject } from '../demo/project.ts';

/** What is fired, and what it shows. */
const steps: readonly { event: EventName; shows: string; changes?: object }[] = [
  { event: 'run:started', shows: 'a run begins; nobody objects' },
  { event: 'turn:dispatched', shows: 'guard adds a note to the turn; it is recorded who did' },
  { event: 'turn:accepted', shows: 'hostile tries to change the record, notes is told all the same' },
  { event: 'turn:rejected', shows: 'hostile never answers; its deadline ends that' },
  {
    event: 'turn:dispatched',
    shows: 'guard refuses a turn: no agent will see it',
    changes: { goal: 'Tidy up production' },
  },
];

function problemOfFolder(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return `${path} is not a folder`;
  return readdirSync(path).length === 0 ? undefined : `the folder ${path} is not empty`;
}

export const run: Run = async ({ options, version, progress, cwd }) => {
  const wanted = options['dir'] === undefined ? undefined : resolve(cwd, String(options['dir']));
  const taken = wanted === undefined ? undefined : problemOfFolder(wanted);
  if (taken !== undefined) {
    throw new PatchbayError('USAGE', taken, {
      file: wanted,
      hint: 'name a new one with --dir',
    });
  }
  const dir = wanted ?? mkdtempSync(join(tmpdir(), 'patchbay-demo-'));
  const keep = options['keep'] === true || wanted !== undefined;
  const deliveries = { ok: 0, warn: 0, failed: 0 };
  const say = (line: string) => progress(line);
  const logOf = (plugin: string): Log => {
    const write = (message: string) => say(`    ${plugin}: ${message}`);
    return { debug: write, info: write, warn: write, error: write };
  };
  try {
    writeProject(dir);
    say(`A sample project in ${dir}: two good plugins and a hostile one.\n`);
    const host = await openHost({ cwd: dir, version, log: logOf });
    await host.start();
    const unwatch = host.kernel.intercept(() => {
      deliveries.ok++;
      return undefined;
    });
    for (const { event, shows, changes } of steps) {
      say(`  ${event}: ${shows}`);
      const record = newRecord();
      try {
        const payload = sample(event, changes as Partial<Payload<EventName>>);
        await host.kernel.hook(event).call(payload as never, { record });
      } catch (refusal) {
        say(`    refused: ${messageOf(refusal)}`);
      }
      for (const { plugin, after } of record.changes) {
        say(`    ${plugin} changed it: ${JSON.stringify((after as { summary: string }).summary)}`);
      }
      for (const failure of record.failures) {
        deliveries.ok--;
        deliveries.failed++;
        say(`    contained: ${failure.code} ${failure.message}`);
      }
    }
    unwatch();
    await host.close();
    const text = [
      '',
      `${deliveries.ok} handlers worked, ${deliveries.failed} failed and were contained, nothing was lost.`,
      '',
      keep ? `The project is in ${dir}. Try there:` : 'To look at the project: patchbay demo --dir ./demo, and there:',
      '  patchbay hooks explain turn:dispatched',
      '  patchbay hooks list',
    ].join('\n');
    return { json: { ok: true, dir: keep ? dir : null, runs: [], deliveries }, text };
  } finally {
    if (!keep) rmSync(dir, { recursive: true, force: true });
  }
};
