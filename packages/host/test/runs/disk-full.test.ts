import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, root } from '../../../../test/project.ts';

interface Told {
  readonly failed: readonly (string | null)[];
  readonly recovered: string | null;
  readonly steps: readonly string[];
  readonly verified: boolean;
}

/** Lives through a full disk: a real one, small, that only this process and its children see. */
async function livedThrough(moment: string): Promise<Told> {
  const disk = folder();
  const flags = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];
  const host = [process.execPath, ...flags, join(root, 'test/disk-full/host.ts'), disk, moment];
  const cage = ['--die-with-parent', '--dev-bind', '/', '/', '--size', String(24 * 1024 * 1024), '--tmpfs', disk];
  const child = spawn('bwrap', [...cage, '--', ...host], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  expect([code, stderr.replaceAll(/^.*PatchbayWarning.*\n/gm, '')]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout) as Told;
}

describe('A disk that is full', () => {
  it.each([['turn'], ['gate']])(
    'at the %s of a run is told as that, and the run goes on when there is room',
    async (moment) => {
      const { failed, recovered, steps, verified } = await livedThrough(moment);
      const known = ['LEDGER_WRITE', 'WORKSPACE_FAILED', 'PROJECT_WRITE'];
      for (const code of failed) expect(known).toContain(code);
      expect([recovered, verified]).toEqual([null, true]);
      const once = ['run:started', 'approval:decided', 'gate:transition', 'gate:completion', 'run:completed'];
      expect(steps.filter((step) => once.includes(step))).toEqual(once);
      expect(steps.filter((step) => step === 'turn:accepted')).toHaveLength(2);
    },
    60_000,
  );
});
