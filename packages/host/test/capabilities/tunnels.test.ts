import { afterEach, expect, it, vi } from 'vitest';
import { project } from '../../../../test/project.ts';
import { tunnelStatus, tunnelWarning } from '../../src/capabilities/index.ts';
import { openHost } from '../../src/host.ts';

afterEach(() => void vi.useRealTimers());

const tunnel = (name: string, members: string) => `export default { name: '${name}', version: '1.0.0', provides: {
  tunnel: () => ({ name: '${name}-net', isAvailable: () => true, isConnected: () => false, statusSummary: () => 'down', ${members} }),
} };`;
const up = tunnel('up', `isConnected: async () => true, statusSummary: async () => 'up as box'`);
const absent = tunnel('absent', 'isAvailable: () => false');
const throwing = tunnel('throwing', `isConnected: () => { throw new Error('no socket'); }`);
const broken = `export default { name: 'broken', version: '1.0.0', provides: { tunnel: () => { throw new Error('no'); } } };`;

async function hostOf(modules: Readonly<Record<string, string>>) {
  const host = await openHost({ cwd: project(modules), version: '0.0.0' });
  return { kernel: host.kernel, [Symbol.asyncDispose]: () => host.close() };
}

it('every tunnel is told, and one that throws, answers nonsense or is none takes nothing from the others', async () => {
  const odd = tunnel('odd', `isAvailable: () => 'perhaps'`);
  await using host = await hostOf({ broken, odd, throwing, absent, up });
  const down = { connected: false, summary: 'down', problem: null };
  expect(await tunnelStatus(host.kernel)).toEqual([
    { name: 'up-net', plugin: 'up', available: true, connected: true, summary: 'up as box', problem: null },
    { ...down, name: 'absent-net', plugin: 'absent', available: false },
    { ...down, name: 'throwing-net', plugin: 'throwing', available: true, problem: 'isConnected: no socket' },
    { ...down, name: 'odd-net', plugin: 'odd', available: false, problem: 'isAvailable answered nonsense' },
    {
      ...{ name: 'broken', plugin: 'broken', available: false, connected: false, summary: null },
      problem: expect.stringContaining('plugin "broken" in hook "tunnel" failed: no'),
    },
  ]);
});

it('a tunnel that hangs is told as such after 10 s', async () => {
  const hanging = tunnel('hanging', 'statusSummary: () => new Promise(() => {})');
  await using host = await hostOf({ hanging, up });
  vi.useFakeTimers();
  const asked = tunnelStatus(host.kernel);
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  expect(await asked).toMatchObject([
    { name: 'up-net', connected: true, problem: null },
    { name: 'hanging-net', summary: null, problem: 'statusSummary: did not answer within 10 s' },
  ]);
});

it.each([
  ['there is no tunnel', {}, undefined],
  ['none could be used here', { absent }, undefined],
  ['one is connected', { throwing, up }, undefined],
  [
    'none of those that could be is',
    { throwing, absent },
    /no tunnel is connected.*throwing-net: isConnected: no socket\)$/,
  ],
])('a host that starts warns only where a tunnel could be up and is not: %s', async (_, modules, warning) => {
  await using host = await hostOf(modules);
  const said = await tunnelWarning(host.kernel);
  if (warning === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(warning);
});
