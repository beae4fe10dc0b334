import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openHost, type Service } from 'patchbay-host';
import { installPlugin } from 'patchbay-host/install';
import type { EventFields } from 'patchbay-host/ledger';
import { type EventName, type Log, messageOf, PatchbayError, sample } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { writeProject } from '../demo/project.ts';
import { bringing } from '../plugin-options.ts';

/** What is fired, and what it shows. */
const steps: readonly { event: EventName; shows: string; changes?: object }[] = [
  { event: 'run:started', shows: 'a run begins; nobody objects' },
  { event: 'turn:dispatched', shows: 'guard adds a note to the turn; it is recorded who did' },
  { event: 'turn:accepted', shows: 'hostile tries to change the record; notes and a script are told all the same' },
  { event: 'turn:rejected', shows: 'hostile never answers; its deadline ends that' },
  {
    event: 'turn:dispatched',
    shows: 'guard refuses a turn: no agent will see it',
    changes: { goal: 'Tidy up production' },
  },
  { event: 'run:completed', shows: 'a built-in plugin writes a report' },
];

/** Plugins that are installed as anybody's are: a folder of the project, and a built-in by its name. */
const installed = ['./packages/announce', '@agentxchain/plugin-json-report'];

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
  const logOf = (plugin: string): Log => {
    const write = (message: string) => progress(`    ${plugin}: ${message.trimEnd()}`);
    return { debug: write, info: write, warn: write, error: write };
  };
  try {
    writeProject(dir);
    progress(`A sample project in ${dir}: good plugins and a hostile one.\n`);
    for (const source of installed) {
      const { name, hooks } = await installPlugin(source, bringing(dir, { yes: true }));
      progress(`  installed ${name}: ${hooks.join(', ')}`);
    }
    const host = await openHost({ cwd: dir, version, log: logOf });
    try {
      const service = await host.start();
      const shown = new Set<string>();
      for (const step of steps) await show(service, step, shown, progress);
      const { ok, events } = await service.ledger.verify();
      const deliveries = await counted(service);
      return {
        json: { ok, dir: keep ? dir : null, runs: [], deliveries },
        text: summary(dir, keep, events, deliveries),
      };
    } finally {
      await host.close();
    }
  } finally {
    if (!keep) rmSync(dir, { recursive: true, force: true });
  }
};

/** Makes one event happen, with what the handlers make of it. */
async function show(
  service: Service,
  { event, shows, changes }: (typeof steps)[number],
  shown: Set<string>,
  say: (line: string) => void,
): Promise<void> {
  say(`  ${event}: ${shows}`);
  const { event_id: _, at: __, ...fields } = { ...sample(event), ...changes } as Record<string, unknown>;
  try {
    const emitted = await service.emit(event, fields as unknown as EventFields<EventName>);
    for (const { plugin, after } of emitted.changes) {
      say(`    ${plugin} changed it: ${JSON.stringify((after as { summary: string }).summary)}`);
    }
  } catch (refusal) {
    say(`    refused: ${messageOf(refusal)}`);
  }
  await service.rest();
  for await (const { id, plugin, message } of service.ledger.deliveries({ event, status: ['failed'] })) {
    if (!shown.has(id)) say(`    failed, and contained: ${plugin}: ${message}`);
    shown.add(id);
  }
}

async function counted({ ledger }: Service): Promise<{ ok: number; warn: number; failed: number }> {
  const count = { ok: 0, warn: 0, failed: 0 };
  for await (const { status } of ledger.deliveries()) {
    if (status === 'ok' || status === 'warn' || status === 'failed') count[status]++;
  }
  return count;
}

function summary(dir: string, keep: boolean, events: number, deliveries: { ok: number; failed: number }): string {
  return [
    '',
    `${deliveries.ok} handlers worked, ${deliveries.failed} failed and were contained, nothing was lost:`,
    `${events} events are in the ledger, unchanged.`,
    '',
    keep ? `The project is in ${dir}. Try there:` : 'To look at the project: patchbay demo --dir ./demo, and there:',
    '  patchbay deliveries --failed',
    '  patchbay events',
    '  patchbay hooks explain turn:dispatched',
  ].join('\n');
}
