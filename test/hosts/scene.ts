import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTemplate, openHost } from 'patchbay-host';
import { onTestFinished } from 'vitest';
import { type LedgerStore, openStatuses } from '../../packages/host/src/ledger/index.ts';
import { PostgresServer } from '../postgres.ts';
import { folder } from '../project.ts';
import { effortsIn } from './effects.ts';
import { type Fault, planOf, suffer } from './faults.ts';
import type { Evidence } from './judge.ts';
import { Member } from './member.ts';
import { makeNetwork, type Network } from './network.ts';
import { People } from './people.ts';
import { cloneOf, git, makeProject, roles, template, turnIds } from './project.ts';

const names = ['north', 'east', 'west'];
/** How long nothing may settle, when all is mended, before it is taken for stuck. */
const stuckMs = 120_000;

/** What came of it. */
export interface Outcome extends Evidence {
  readonly network: string;
  readonly seconds: number;
  /** How many runs there are, by status. */
  readonly runs: Readonly<Record<string, number>>;
  /** Turns that were given up or sent back. */
  readonly wasted: readonly string[];
  readonly isSound: boolean;
  /** Hosts that ended though nobody had ended them. */
  readonly ended: readonly string[];
  /** Runs whose branch is not whole on any host. */
  readonly torn: readonly string[];
  readonly told: ReadonlyMap<string, number>;
}

/** Three hosts on one database, and people who have runs made, while one thing after the other goes wrong. */
export async function play({ runs, faults }: { runs: number; faults: number }): Promise<Outcome> {
  const begun = Date.now();
  const { network, server, members, effects, url, project } = await setUp();
  const desk = await openDesk(project, url);
  const people = new People({ ...desk, members });
  const ids = Array.from({ length: runs }, (_, i) => `relay-${String(i + 1).padStart(3, '0')}`);
  people.start();
  const happened: Fault[] = [];
  const plan = planOf(faults, names.length);
  for (const [i, planned] of plan.entries()) {
    await people.ask(ids.slice((i * runs) / faults, ((i + 1) * runs) / faults));
    await sleep(planned.calmMs);
    const fault = await suffer(planned, { members, network, server, effects });
    happened.push(fault);
    say(`${fault.kind} ${fault.host ?? ''} for ${fault.until - fault.from} ms`, begun);
  }
  if (faults === 0) await people.ask(ids);
  const left = await settled(desk.ledger);
  await people.stop();
  if (left.length > 0) say(`unsettled: ${left.join(', ')}\n${members.map(tail).join('\n')}`, begun);
  const { counts, handedIn, wasted } = await read(desk.ledger);
  const { ok } = await desk.ledger.verify();
  const wholes = members.map(({ berth }) => wholeIn(berth.dir));
  await desk.close();
  await Promise.all(members.map((member) => member.stop()));
  return {
    network: network.kind,
    seconds: Math.round((Date.now() - begun) / 1000),
    efforts: effortsIn(effects),
    faults: happened,
    hosts: names.length,
    handedIn,
    wanted: ids.flatMap((id) => turnIds.map((turn) => `${id}/${turn}/1`)),
    runs: counts,
    wasted,
    isSound: ok,
    ended: members.flatMap(({ ended }) => ended),
    torn: ids.filter((id) => !wholes.some((whole) => whole.has(id))),
    told: people.told,
  };
}

async function setUp() {
  const project = makeProject();
  const effects = join(folder(), 'effects');
  const network = await makeNetwork(names.length);
  onTestFinished(() => network.close());
  const server = await PostgresServer.start({}, network.server);
  onTestFinished(() => server.remove());
  await network.connect(server.port);
  const url = await server.database();
  const members = names.map((name, i) => new Member(berth({ name, i, url, project, network, effects })));
  for (const member of members) {
    onTestFinished(() => member.kill());
    await member.start();
  }
  return { project, effects, network, server, url, members };
}

interface Wanted {
  readonly name: string;
  readonly i: number;
  readonly url: string;
  readonly project: string;
  readonly network: Network;
  readonly effects: string;
}

function berth({ name, i, url, project, network, effects }: Wanted) {
  const dir = cloneOf(project);
  // Bundles are in folders that only root can remove as they are.
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', dir]));
  const reached = new URL(url);
  reached.host = network.serverOf(i);
  const own = { EFFECTS: effects, HOST_NAME: name, LONGEST_MS: '2000' };
  return { name, dir, address: network.addressOf(i), at: network.at(i), env: { ...envOf(reached.href, dir), ...own } };
}

function envOf(url: string, home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CACHE_HOME: cache, PATCHBAY_DATABASE_URL: url };
}

/** Where people see and change runs, beside the hosts. */
async function openDesk(project: string, url: string) {
  const dir = cloneOf(project);
  const host = await openHost({ cwd: dir, version: '0.0.0', env: envOf(url, dir) });
  const opened = Promise.withResolvers<Parameters<Parameters<typeof host.beside>[0]>>();
  const closing = Promise.withResolvers<void>();
  const done = host.beside((...parts) => {
    opened.resolve(parts);
    return closing.promise;
  });
  done.catch(opened.reject);
  const [runs, ledger] = await opened.promise;
  const close = async () => {
    closing.resolve();
    await done;
    await host.close();
  };
  return { runs, ledger, template: findTemplate(template, dir), close };
}

/** Waits until no run is open any more, or nothing has settled for long; gives those that are open. */
async function settled(ledger: LedgerStore): Promise<string[]> {
  let left: string[] = [];
  for (let since = Date.now(), before = -1; Date.now() - since < stuckMs; await sleep(250)) {
    left = [];
    try {
      for await (const { run_id, status } of ledger.runs({ status: openStatuses })) left.push(`${run_id} ${status}`);
    } catch {
      continue;
    }
    if (left.length === 0) return left;
    if (left.length !== before) since = Date.now();
    before = left.length;
  }
  return left;
}

async function read(ledger: LedgerStore) {
  const counts: Record<string, number> = {};
  for await (const { status } of ledger.runs()) counts[status] = (counts[status] ?? 0) + 1;
  const handedIn = new Map<string, number>();
  const wasted: string[] = [];
  for await (const { type, run_id, at, payload } of ledger.events({ type: 'turn:*' })) {
    const key = `${run_id}/${payload.turn_id}/${payload.attempt}`;
    if (type === 'turn:submitted') handedIn.set(key, Date.parse(at));
    if (type === 'turn:failed' || type === 'turn:rejected') wasted.push(`${type} ${key}: ${JSON.stringify(payload)}`);
  }
  return { counts, handedIn, wasted };
}

/** The runs whose branch in this clone has the work of all turns. */
function wholeIn(dir: string): Set<string> {
  const branches = git(dir, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/patchbay').split('\n');
  const all = roles.map((role) => `work/${role}`).sort();
  const work = (id: string) => git(dir, 'ls-tree', '-r', '--name-only', `patchbay/${id}`, 'work/');
  return new Set(branches.filter((id) => id !== '' && work(id) === all.join('\n')));
}

function tail({ name, said }: Member): string {
  return `${name} said last:\n${said.slice(-15).join('\n')}`;
}

function say(text: string, since: number): void {
  process.stderr.write(`${((Date.now() - since) / 1000).toFixed(1)} s: ${text}\n`);
}

/** Of compiled code, for all hosts: reading it anew would be most of the time until one works. */
const cache = join(import.meta.dirname, '../../node_modules/.cache/patchbay-hosts');
