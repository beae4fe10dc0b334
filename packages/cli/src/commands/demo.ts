import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findTemplate, ledgerFile, openHost, type RunState } from 'patchbay-host';
import { installPlugin } from 'patchbay-host/install';
import { openLedger } from 'patchbay-host/ledger';
import { type Log, PatchbayError } from 'patchbay-sdk';
import { builtins } from '../builtins.ts';
import { carryOn } from '../carry-on.ts';
import type { Input, Run } from '../command.ts';
import { runDay, writeDay } from '../demo/day.ts';
import { writeProject } from '../demo/project.ts';
import { bringing } from '../plugin-options.ts';

/** Plugins that are installed as anybody's are: folders of the project, and a built-in by its name. */
const installed = ['./packages/announce', './packages/webhook', '@agentxchain/plugin-json-report'];
const goal = 'Make the tests pass';

function problemOfFolder(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return `${path} is not a folder`;
  return readdirSync(path).length === 0 ? undefined : `the folder ${path} is not empty`;
}

export const run: Run = async (input) => {
  const { options, progress, cwd } = input;
  const wanted = options['dir'] === undefined ? undefined : resolve(cwd, String(options['dir']));
  const taken = wanted === undefined ? undefined : problemOfFolder(wanted);
  if (taken !== undefined) {
    throw new PatchbayError('USAGE', taken, { file: wanted, hint: 'name a new one with --dir' });
  }
  const dir = wanted ?? mkdtempSync(join(tmpdir(), 'patchbay-demo-'));
  const keep = options['keep'] === true || wanted !== undefined;
  const receiver = await listening();
  try {
    progress(`A small repository with a failing test, in ${dir}; good plugins and a hostile one.`);
    await prepare(dir, receiver.url, progress);
    const state = await governedRun(dir, input);
    progress(
      '\nNow a day of PACE: GATE holds it, SENTINEL advises, then it ships. A push to the repository begins it.',
    );
    const day = await runDay(dir, input);
    const { events, ...counts } = await counted(dir, input);
    const deliveries = { ...counts, received: receiver.count() };
    const json = {
      ok: state.status === 'completed' && day.status === 'completed',
      dir: keep ? dir : null,
      runs: [state, day].map(({ run_id, template, status }) => ({ run_id, template: template.name, status })),
      deliveries,
    };
    const exitCode = json.ok ? 0 : 1;
    return { json, text: summary({ dir, keep, state, day, events, deliveries }), exitCode };
  } finally {
    await receiver.close();
    if (!keep) rmSync(dir, { recursive: true, force: true });
  }
};

/** Somebody who is told of things by HTTP. */
async function listening() {
  let calls = 0;
  const server = createServer((request, response) => {
    calls++;
    request.resume();
    response.end('{"verdict":"ok"}');
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/done`,
    count: () => calls,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

async function prepare(dir: string, hook: string, progress: (line: string) => void): Promise<void> {
  writeProject(dir, hook);
  writeDay(dir, hook);
  for (const source of installed) {
    const { name, hooks } = await installPlugin(source, bringing(dir, { yes: true }));
    progress(`  installed ${name}: ${hooks.join(', ')}`);
  }
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=demo', '-c', 'user.email=demo@patchbay.invalid', ...args], { cwd: dir });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'A pager with a bug');
}

async function governedRun(dir: string, input: Input): Promise<RunState> {
  const { version, progress } = input;
  const logOf = (plugin: string): Log => {
    const write = (message: string) => progress(`    ${plugin}: ${message.trimEnd()}`);
    return { debug: write, info: write, warn: write, error: write };
  };
  const host = await openHost({ cwd: dir, version, log: logOf, builtins });
  try {
    const service = await host.start();
    const run_id = await service.runs.request({ template: findTemplate('governed', dir), goal, by: 'you' });
    progress(`\n${run_id}: ${goal}`);
    let state = await carryOn(service, run_id, input);
    for (let i = 0; i < 5 && state.status === 'waiting'; i++) {
      progress('  (the demo approves in your place)');
      await service.runs.vote(run_id, { by: 'you', decision: 'approved', comment: 'for the demo' });
      state = await carryOn(service, run_id, input);
    }
    return state;
  } finally {
    await host.close();
  }
}

/** How the deliveries ended, and how many events there are, all of them unchanged. */
async function counted(dir: string, { progress }: Input) {
  const count = { ok: 0, warn: 0, failed: 0 };
  const contained = new Map<string, { times: number; message: string | null }>();
  const ledger = await openLedger(ledgerFile(dir));
  try {
    for await (const { status, plugin, event, message } of ledger.deliveries()) {
      if (status === 'ok' || status === 'warn' || status === 'failed') count[status]++;
      if (status !== 'failed') continue;
      const place = `${plugin} at ${event}`;
      const before = contained.get(place);
      contained.set(place, { times: (before?.times ?? 0) + 1, message: before?.message ?? message });
    }
    const { events } = await ledger.verify();
    progress('');
    for (const [place, { times, message }] of contained) progress(`  contained ${times} times: ${place}: ${message}`);
    return { ...count, events };
  } finally {
    await ledger.close();
  }
}

interface Told {
  readonly dir: string;
  readonly keep: boolean;
  readonly state: RunState;
  readonly day: RunState;
  readonly events: number;
  readonly deliveries: { readonly ok: number; readonly failed: number; readonly received: number };
}

function summary({ dir, keep, state, day, events, deliveries: { ok, failed, received } }: Told): string {
  const report = join('.agentxchain', 'reports', `${state.run_id}.json`);
  const attempts = Math.max(...day.turns.filter(({ role }) => role === 'forge').map(({ attempt }) => attempt));
  return [
    '',
    `The run is ${state.status}: ${state.turns.length} turns, ${state.decisions.length} decision, ${state.cost.usd} USD.`,
    `The day is ${day.status === 'completed' ? 'shipped' : day.status}, at attempt ${attempts}; what each role handed in is in .pace/day-1.`,
    `${ok} handlers worked, ${failed} failed and were contained, nothing was lost: ${events} events are in the ledger, unchanged.`,
    `A report is in ${report}; web addresses were told ${received} time(s); the mended code is on branch patchbay/${state.run_id}.`,
    '',
    keep ? `The project is in ${dir}. Try there:` : 'To look at the project: patchbay demo --dir ./demo, and there:',
    '  patchbay status',
    '  patchbay deliveries --failed',
    '  patchbay hooks explain turn:dispatched',
    '  patchbay run --day next                     # the plan has no other day',
    `  patchbay run --input "Tidy up production"   # a plugin refuses that`,
  ].join('\n');
}
