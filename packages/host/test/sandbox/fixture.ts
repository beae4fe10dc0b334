import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type Confinement, type Ended, type Job, Launcher } from '../../src/sandbox/launcher.ts';

const bubblewrapWorks =
  spawnSync('bwrap', ['--unshare-pid', '--dev-bind', '/', '/', '--proc', '/proc', 'true']).status === 0;

/** What this machine allows. */
export const confinements: readonly Confinement[] = bubblewrapWorks ? ['namespace', 'group'] : ['group'];

/** A project, a folder for temporary files, and a launcher to run scripts with. */
export class Workshop {
  readonly dir = mkdtempSync(join(tmpdir(), 'patchbay-sandbox-'));
  readonly project = join(this.dir, 'project');
  readonly temp = join(this.dir, 'temp');
  readonly launcher: Launcher;

  constructor(confinement: Confinement) {
    mkdirSync(this.project);
    mkdirSync(this.temp);
    this.launcher = new Launcher({
      project: this.project,
      tempDir: this.temp,
      namespace: confinement === 'group' ? 'off' : 'auto',
    });
  }

  /** Writes a script; gives its file. */
  script(text: string, { name = 'script.sh', mode = 0o755, first = '#!/bin/bash\n' } = {}): string {
    const file = join(this.dir, name);
    writeFileSync(file, first + text, { mode });
    return file;
  }

  /** Runs a script of bash. */
  run(text: string, more: Partial<Job> = {}, signal?: AbortSignal): Promise<Ended> {
    const env = { PATH: process.env['PATH'] ?? '' };
    return this.launcher.run(
      { argv: ['/bin/bash', '-c', text], cwd: this.project, env, timeoutMs: 20_000, ...more },
      signal,
    );
  }

  /** What jobs have left. */
  leftovers(): string[] {
    return readdirSync(this.temp);
  }

  async close(): Promise<void> {
    await this.launcher.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

let tokens = 0;

/** A number of seconds that no other process on this machine sleeps. */
export function nap(): string {
  return `${86_400 + ++tokens}.${process.pid}${Date.now() % 1_000_000}`;
}

/** The processes that have a word in their command line. */
export function running(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(word))
    .map(Number);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Waits for what no event tells, such as a process of a process. */
export function eventually(expectation: () => void): Promise<void> {
  return vi.waitFor(expectation, { timeout: 60_000, interval: 20 });
}
