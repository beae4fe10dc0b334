import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventName, type PatchbayError, sample } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { type Host, openHost } from '../../packages/host/src/host.ts';
import { installPlugin } from '../../packages/host/src/install/index.ts';
import type { Delivery } from '../../packages/host/src/ledger/index.ts';
import { folderPrefix } from '../../packages/host/src/sandbox/launch/sweep.ts';
import type { Service } from '../../packages/host/src/service.ts';
import { type Package, writePackage } from './package.ts';
import type { Ground, Hostile } from './row.ts';
import { processesWith } from './traces.ts';

/** After so many failures in a row a handler is left alone, for longer than a test takes. */
export const failures = 3;
const breaker = { failures, pauseMs: 600_000, maxPauseMs: 600_000 };
/** Whatever takes longer hangs. */
const boundMs = 60_000;
export const turns = 10;

/** Values that may never be seen, by the name of their variable; quotes and backslashes make them hard to find in JSON. */
export type Secrets = Readonly<Record<(typeof secretNames)[number], { readonly value: string; readonly mark: string }>>;
const secretNames = ['SECRET_TOKEN', 'NEIGHBOUR_SECRET', 'HOSTILE_SECRET'] as const;

/** A project, its plugins not there yet. */
export interface Stage extends Ground {
  readonly secrets: Secrets;
  /** By what processes of this project are known. */
  readonly marks: readonly string[];
}

/** Makes a project, with something precious in it. All of it, and whatever still runs for it, is gone after the test. */
export function newStage(): Stage {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'chaos-')));
  const digits = String(randomInt(1e8, 1e9));
  const marks = [project, folderPrefix(project), digits];
  onTestFinished(() => {
    for (const { pid } of processesWith(marks)) process.kill(pid, 'SIGKILL');
    rmSync(project, { recursive: true, force: true });
  });
  writeFileSync(join(project, 'patchbay.yaml'), '');
  mkdirSync(join(project, 'precious'));
  writeFileSync(join(project, 'precious', 'file'), precious);
  return { project, digits, marks, secrets: newSecrets() };
}

/** What stands in the file that nobody may touch. */
export const precious = 'irreplaceable\n';

/** They are in the environment of this process, too: whatever inherits it has them. */
function newSecrets(): Secrets {
  const made = secretNames.map((name) => {
    const mark = randomBytes(9).toString('hex');
    const value = `q"b\\${mark}`;
    process.env[name] = value;
    onTestFinished(() => void delete process.env[name]);
    return [name, { value, mark }] as const;
  });
  return Object.fromEntries(made) as unknown as Secrets;
}

/** Installs a package into the project. Rejects as installing does. */
export async function install({ project }: Ground, { config, ...rest }: Package): Promise<void> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'chaos-package-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writePackage(dir, rest);
  await installPlugin(dir, { cwd: project, yes: true, ...(config === undefined ? {} : { config }) });
}

/** A host at work. Closed after the test if not before. */
export async function openStage({ project }: Ground): Promise<{ host: Host; service: Service }> {
  const host = await within('opening the host', openHost({ cwd: project, version: '0.1.0', breaker }));
  onTestFinished(() => host.close());
  return { host, service: await within('starting the host', host.start()) };
}

/** What became of the events of a run: those that were refused, with the error. */
export type Refused = ReadonlyMap<EventName, PatchbayError>;

/** Makes all events of a run happen, whatever is refused, and waits until all is delivered that can be. */
export async function run(service: Service, fields: Hostile['fields'] = {}): Promise<Refused> {
  const refused = new Map<EventName, PatchbayError>();
  const emit = async <E extends EventName>(type: E, changes: object = {}) => {
    const { event_id: _, ...payload } = { ...sample(type), ...changes };
    const emitted = service.emit(type, payload as never);
    await within(type, emitted).catch((error) => refused.set(type, error as PatchbayError));
  };
  await emit('run:started');
  await emit('turn:dispatched');
  for (let turn = 0; turn < turns; turn++) await emit('turn:accepted', { ...fields, turn_id: `turn-${turn}` });
  await emit('run:completed');
  await within('delivering', service.rest());
  return refused;
}

/** All deliveries of a plugin, in the order of events. */
export async function deliveriesOf({ ledger }: Service, plugin: string): Promise<Delivery[]> {
  return Array.fromAsync(ledger.deliveries({ plugin }));
}

/** What the promise comes to, unless that takes so long that it hangs. */
export async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: not done after ${boundMs / 1000} s`)), boundMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
