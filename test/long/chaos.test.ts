import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Delivery } from '../../packages/host/src/ledger/index.ts';
import { Launcher } from '../../packages/host/src/sandbox/launcher.ts';
import { addresses } from '../chaos/hostile/addresses.ts';
import { confinedModules } from '../chaos/hostile/confined-modules.ts';
import { modules } from '../chaos/hostile/modules.ts';
import { processes } from '../chaos/hostile/processes.ts';
import { schemas } from '../chaos/hostile/schemas.ts';
import { scripts, thievingScripts } from '../chaos/hostile/scripts.ts';
import { type NeighbourKind, neighbourKinds, newNeighbour } from '../chaos/neighbour.ts';
import { modulePackage, writePackage } from '../chaos/package.ts';
import type { Hostile } from '../chaos/row.ts';
import * as stages from '../chaos/stage.ts';
import { filesWith, isOfHost, jobFolders, peakMb, processesWith } from '../chaos/traces.ts';

const launcher = new Launcher({ project: '/nowhere' });
const confinement = await launcher.confinement();
await launcher.close();

const all = { scripts, thievingScripts, processes, addresses, modules, confinedModules };
const possible = (rows: readonly Hostile[]) => rows.filter(({ needs }) => needs === undefined || needs === confinement);
/** What this process, with the servers in it, and the one that starts scripts may need more than before. */
const mostMb = 300;
const runLength = stages.turns + 3;
const tryInstall = join(import.meta.dirname, '../chaos/try-install.ts');
const soon = { timeout: 60_000, interval: 20 };
let turn = 0;

/** Something on this machine that has the secrets in its environment, as a host that was started with them would. */
function bystander(secrets: stages.Secrets): void {
  const env = Object.fromEntries(Object.entries(secrets).map(([name, { value }]) => [name, value]));
  const child = spawn('sleep', ['600'], { env: { ...env, PATH: process.env['PATH'] }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
}

/** Samples how much memory this process has; tells by how much it grew at the most. */
function growth(): () => number {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  onTestFinished(() => clearInterval(timer));
  return () => (most - before) / 1024 / 1024;
}

/** How the deliveries of accepted turns to the hostile plugin ended. */
function expectAccepted({ accepted, says }: Hostile, deliveries: readonly Delivery[]): void {
  const ofTurns = deliveries.filter(({ event }) => event === 'turn:accepted');
  const failed = deliveries.filter(({ status }) => status === 'failed');
  for (const { message } of failed) expect(message).toMatch(says ?? /\S/);
  if (accepted === 'none') expect(ofTurns).toEqual([]);
  else expect(ofTurns).toHaveLength(stages.turns);
  if (accepted === 'ok')
    expect(ofTurns.filter(({ status }) => status !== 'ok').map(({ message }) => message)).toEqual([]);
  if (accepted !== 'failed') return;
  const owed = stages.turns - stages.failures;
  const expected = [...Array(stages.failures).fill('failed'), ...Array(owed).fill('owed')];
  expect(ofTurns.map(({ status }) => status)).toEqual(expected);
}

/** Everything reached the neighbour, once; but for what was refused before it was asked. */
function expectNeighbour(
  deliveries: readonly Delivery[],
  received: readonly string[],
  refused: Hostile['refuses'],
): void {
  expect(deliveries).toHaveLength(runLength);
  const asked = deliveries.filter(({ status }) => status !== 'skipped');
  for (const { status, event } of deliveries) if (status === 'skipped') expect(refused).toContain(event);
  expect(asked.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(received.toSorted()).toEqual(asked.map(({ key }) => key).toSorted());
}

/** Nothing runs, nothing lies about, nothing was told. */
async function expectNoTrace({ project, marks, secrets }: stages.Stage): Promise<void> {
  await expect.poll(() => processesWith(marks), soon).toEqual([]);
  expect(jobFolders(project)).toEqual([]);
  for (const { mark } of Object.values(secrets)) expect(filesWith(project, mark)).toEqual([]);
  expect(readFileSync(join(project, 'precious', 'file'), 'utf8')).toBe(stages.precious);
}

describe.each(Object.entries(all))('beside a neighbour, of the hostile %s', (_, rows) => {
  it.each(possible(rows))('one that $does costs itself only', async (hostile) => {
    const stage = stages.newStage();
    bystander(stage.secrets);
    const kind: NeighbourKind = hostile.neighbour ?? neighbourKinds[turn++ % 3] ?? 'script';
    const neighbour = await newNeighbour(kind);
    await stages.install(stage, await hostile.make('hostile', stage));
    await stages.install(stage, neighbour.package);
    const grown = growth();
    const { host, service } = await stages.openStage(stage);
    expect(host.quarantined.map(({ name }) => name)).toEqual(hostile.accepted === 'none' ? ['hostile'] : []);
    for (const { reason } of host.quarantined) expect(reason).toMatch(hostile.says ?? /\S/);

    const refused = await stages.run(service, hostile.fields);
    const deliveries = await stages.deliveriesOf(service, 'hostile');
    expect([...refused.keys()]).toEqual(hostile.refuses ?? []);
    for (const error of refused.values()) expect(error).toMatchObject({ code: 'HOOK_REFUSED', plugin: 'hostile' });

    // What was killed may need a moment to be gone.
    await expect.poll(() => processesWith(stage.marks).filter((one) => !isOfHost(one)), soon).toEqual([]);
    expect(jobFolders(stage.project)).toEqual([]);
    const launchers = processesWith(stage.marks).filter(({ command }) => command.includes('launcher-main'));
    for (const { pid } of launchers) expect(peakMb(pid)).toBeLessThan(mostMb);

    expectNeighbour(
      await stages.deliveriesOf(service, 'neighbour'),
      neighbour.received(stage.project),
      hostile.refuses,
    );
    expect(await service.ledger.verify()).toMatchObject({ ok: true });
    await stages.within('closing the host', host.close());
    expect(grown()).toBeLessThan(mostMb);
    expectAccepted(hostile, deliveries);
    await hostile.check?.({ ...stage, deliveries });
    await expectNoTrace(stage);
  });
});

describe('a configuration schema', () => {
  it.each(schemas)('that $does keeps nobody busy', ({ schema, ends }) => {
    const stage = stages.newStage();
    const { files } = modulePackage('hostile', '', { configSchema: schema as Record<string, unknown> });
    writePackage(join(stage.project, 'package'), { files });
    const node = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
    const args = [...node, tryInstall, stage.project, join(stage.project, 'package')];
    // What hangs there cannot be ended from within.
    const done = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' });
    expect({ signal: done.signal, stderr: done.stderr }).toEqual({ signal: null, stderr: '' });
    expect(done.stdout).toMatch(ends);
  });
});

it('all of them at once cost themselves only', async () => {
  const stage = stages.newStage();
  bystander(stage.secrets);
  const rows = possible(Object.values(all).flat()).filter(({ refuses }) => refuses === undefined);
  for (const [i, hostile] of rows.entries()) await stages.install(stage, await hostile.make(`hostile-${i}`, stage));
  const neighbours = await Promise.all(
    neighbourKinds.map(async (kind) => ({
      name: `neighbour-${kind}`,
      ...(await newNeighbour(kind, `neighbour-${kind}`)),
    })),
  );
  for (const neighbour of neighbours) await stages.install(stage, neighbour.package);
  const grown = growth();
  const { host, service } = await stages.openStage(stage);
  const refused = await stages.run(service);
  expect([...refused.keys()]).toEqual([]);
  for (const { name, received } of neighbours) {
    expectNeighbour(await stages.deliveriesOf(service, name), received(stage.project), []);
  }
  await stages.within('closing the host', host.close());
  expect(grown()).toBeLessThan(2 * mostMb);
  await expectNoTrace(stage);
});
