import { spawnSync } from 'node:child_process';
import { type Effort, median } from '../measure.ts';
import { goal, type Report, type Row } from '../report.ts';

const patchbay = 'packages/cli/bin/patchbay.cjs';
const commands = {
  'node -e 0': ['-e', '0'],
  '--version': [patchbay, '--version'],
  '--help': [patchbay, '--help'],
  'hooks list': [patchbay, 'hooks', 'list'],
  'hooks explain': [patchbay, 'hooks', 'explain', 'turn:accepted'],
};

function milliseconds(args: readonly string[]): number {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** How long the command takes to start, beside Node doing nothing. */
export async function run({ rounds }: Effort): Promise<Report> {
  const names = Object.keys(commands) as (keyof typeof commands)[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  // The first run of each fills the compile cache.
  for (const name of names) milliseconds(commands[name]);
  for (let round = 0; round < rounds; round++) {
    for (const name of names) taken[name]?.push(milliseconds(commands[name]));
  }
  const floor = taken['node -e 0'] ?? [];
  const ratio = (name: string) => median((taken[name] ?? []).map((ms, i) => ms / (floor[i] ?? Number.NaN)));
  const rows: Row[] = names.slice(1).map((name) => ({
    case: `patchbay ${name}`,
    ours: median(taken[name] ?? []),
    unit: 'ms',
    peers: { 'node -e 0': median(floor), ratio: ratio(name) },
  }));
  return {
    bench: 'cli',
    rows,
    goals: [
      goal('patchbay --version vs node -e 0', 1.6, ratio('--version')),
      goal('patchbay hooks list vs node -e 0', 2.5, ratio('hooks list')),
    ],
  };
}
