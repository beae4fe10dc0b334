import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Effort, median } from '../measure.ts';
import { goal, type Report, type Row } from '../report.ts';

const patchbay = resolve('packages/cli/bin/patchbay.cjs');

function milliseconds(cwd: string, args: readonly string[]): number {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** A package of one script, and as many other files as are wanted. */
function pack(dir: string, name: string, files = 0): void {
  mkdirSync(join(dir, 'files'), { recursive: true });
  const hooks = [{ event: 'turn:accepted', type: 'script', run: './a.sh' }];
  writeFileSync(
    join(dir, 'agentxchain-plugin.json'),
    JSON.stringify({ name, version: '1.0.0', description: 'x', hooks }),
  );
  writeFileSync(join(dir, 'a.sh'), '#!/bin/sh\n', { mode: 0o755 });
  for (let i = 0; i < files; i++) writeFileSync(join(dir, 'files', `${i}.txt`), `file ${i}\n`.repeat(100));
}

function project(work: string, name: string, plugins: number): string {
  const dir = join(work, name);
  mkdirSync(join(dir, '.patchbay/plugins'), { recursive: true });
  const names = Array.from({ length: plugins }, (_, i) => `plugin-${i}`);
  const entry = {
    version: '1.0.0',
    source: './x',
    resolved: './x',
    integrity: 'sha512-x',
    hooks: ['turn:accepted'],
    grants: [],
    installed_at: '2026-01-01T00:00:00.000Z',
  };
  const lock = { lockfileVersion: 1, plugins: Object.fromEntries(names.map((one) => [one, entry])) };
  for (const one of names) mkdirSync(join(dir, '.patchbay/plugins', one));
  writeFileSync(
    join(dir, 'patchbay.yaml'),
    `plugins:\n${names.map((one) => `  ${one}:\n    version: 1.0.0\n`).join('')}`,
  );
  writeFileSync(join(dir, 'patchbay.lock'), JSON.stringify(lock));
  return dir;
}

/** What installing, listing and verifying cost beside Node doing nothing and the hashing alone. */
export async function run({ rounds }: Effort): Promise<Report> {
  const work = mkdtempSync(join(tmpdir(), 'patchbay-bench-'));
  try {
    pack(join(work, 'small'), 'small');
    pack(join(work, 'large'), 'large', 1000);
    const one = project(work, 'one', 1);
    const many = project(work, 'many', 200);
    const big = project(work, 'big', 0);
    milliseconds(big, [patchbay, 'plugin', 'install', '../large']);
    const hashing = `const fs = require('fs'), h = require('crypto').createHash('sha512');
      const dir = '.patchbay/plugins/large/files/';
      for (const name of fs.readdirSync(dir).sort()) h.update(name).update(fs.readFileSync(dir + name));
      console.log(h.digest('base64'));`;
    const cases: Record<string, () => number> = {
      floor: () => milliseconds(work, ['-e', '0']),
      install: () => {
        const dir = project(work, 'fresh', 0);
        const taken = milliseconds(dir, [patchbay, 'plugin', 'install', '../small']);
        rmSync(dir, { recursive: true });
        return taken;
      },
      'list 1': () => milliseconds(one, [patchbay, 'plugin', 'list']),
      'list 200': () => milliseconds(many, [patchbay, 'plugin', 'list']),
      hashing: () => milliseconds(big, ['-e', hashing]),
      verify: () => milliseconds(big, [patchbay, 'plugin', 'verify']),
    };
    for (const act of Object.values(cases)) act();
    const taken: Record<string, number[]> = {};
    for (let round = 0; round < Math.min(rounds, 25); round++) {
      for (const [name, act] of Object.entries(cases)) taken[name] = [...(taken[name] ?? []), act()];
    }
    const ratio = (of: string, to: string) =>
      median((taken[of] ?? []).map((ms, i) => ms / (taken[to]?.[i] ?? Number.NaN)));
    const row = (name: string, of: string, to: string): Row => ({
      case: name,
      ours: median(taken[of] ?? []),
      unit: 'ms',
      peers: { [to]: median(taken[to] ?? []), ratio: ratio(of, to) },
    });
    return {
      bench: 'install',
      rows: [
        row('install a small plugin', 'install', 'floor'),
        row('list 200 plugins', 'list 200', 'list 1'),
        row('verify 1000 files', 'verify', 'hashing'),
      ],
      goals: [
        goal('installing a small plugin vs node -e 0', 3, ratio('install', 'floor')),
        goal('listing 200 plugins vs 1', 1.5, ratio('list 200', 'list 1')),
        goal('verifying 1000 files vs hashing them in a bare Node', 2, ratio('verify', 'hashing')),
      ],
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
