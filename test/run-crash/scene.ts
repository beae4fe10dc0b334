import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, vi } from 'vitest';
import type { Package } from '../crash/packages.ts';
import { folder, root } from '../project.ts';
import { newStore } from '../store.ts';
import type { Outcome } from './outcome.ts';
import { committed, recording } from './project.ts';

const source = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];

/** How a life of a host ended. */
export interface Life {
  readonly how: readonly [code: number | null, signal: string | null];
  readonly stdout: string;
  readonly stderr: string;
  /** The moments that passed; the last is that at which it was killed. */
  readonly moments: readonly string[];
}

/** All that can be compared between a run that went straight and one whose host was killed. */
export interface Traces {
  readonly outcome: Pick<Outcome, 'state' | 'steps' | 'verified'>;
  /** The content of the branch. */
  readonly tree: string;
  /** Files that the host keeps. */
  readonly kept: readonly string[];
  /** What people can read of a day. */
  readonly documents: readonly string[];
  /** Worktrees that git knows, and locks that it left. */
  readonly ofGit: readonly string[];
}

/** A project whose run has not begun, and the lives of its hosts. */
export class RunScene {
  readonly #dir: string;
  readonly project: string;
  readonly #temp: string;
  readonly #notes: string;
  /** Of compiled sources, for all copies: reading them anew would be most of the time until a host works. */
  readonly #cache: string;
  #store: ReturnType<typeof newStore> | undefined;
  #lives = 0;

  private constructor(dir: string, cache: string) {
    this.#dir = dir;
    this.#cache = cache;
    this.project = join(dir, 'project');
    this.#temp = join(dir, 'temp');
    this.#notes = join(this.project, 'notes');
    // Bundles are in folders that only root can remove as they are.
    onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', dir]));
  }

  /** Makes the project: a repository with these files and a plugin installed. */
  static make(files: Package = committed): RunScene {
    const scene = new RunScene(folder(), folder());
    for (const dir of [scene.#temp, scene.#notes]) mkdirSync(dir, { recursive: true });
    write(scene.project, files);
    const from = write(join(scene.#dir, 'package'), recording);
    const setUp = join(root, 'test/crash/set-up.ts');
    execFileSync(process.execPath, [...source, setUp, scene.project, from], { cwd: root, env: scene.#env() });
    scene.git('init', '--quiet', '--initial-branch=main');
    scene.git('add', '--all');
    scene.git('-c', 'user.name=ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message=begin');
    return scene;
  }

  /** Another one of the same content. */
  copy(): RunScene {
    const dir = folder();
    cpSync(this.#dir, dir, { recursive: true, preserveTimestamps: true });
    return new RunScene(dir, this.#cache);
  }

  /** Lives a life of the host, until its end or the moment that `KILL_AT` names. */
  async live(env: Readonly<Record<string, string>> = {}, flags: readonly string[] = []): Promise<Life> {
    this.#lives += 1;
    this.#store ??= newStore();
    const trace = join(this.#dir, `moments-${this.#lives}`);
    const args = [...source, ...flags, join(import.meta.dirname, 'host.ts'), this.project, trace];
    const child = spawn(process.execPath, args, {
      cwd: this.project,
      env: { ...this.#env(), ...(await this.#store), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [how, stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
    return { how: how as [number | null, string | null], stdout, stderr, moments: linesOf(trace) };
  }

  /** What agents noted: `start KEY`, `done KEY`. */
  agents(): string[] {
    return linesOf(join(this.#notes, 'agents'));
  }

  /** The keys of the deliveries that the script got. */
  delivered(): string[] {
    return linesOf(join(this.#notes, 'deliveries'));
  }

  /** What is left when all is done. */
  traces({ state, steps, verified }: Outcome): Traces {
    const kept = readdirSync(join(this.project, '.patchbay'), { recursive: true, encoding: 'utf8' });
    const inGit = readdirSync(join(this.project, '.git'), { recursive: true, encoding: 'utf8' });
    return {
      outcome: { state, steps, verified },
      tree: this.git('rev-parse', 'patchbay/run-1^{tree}'),
      kept: kept.filter((name) => !/^(?:plugins|cache)\//.test(name)).sort(),
      documents: this.#documents(),
      ofGit: inGit.filter((name) => /^worktrees\/|\.lock$/.test(name)).sort(),
    };
  }

  /** Processes of the project and temporary files that are still there when they had the time to go. */
  async left(): Promise<string[]> {
    const left = () => [...this.#processes(), ...readdirSync(this.#temp)];
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 60_000 }).catch(() => {});
    return left();
  }

  #documents(): string[] {
    const dir = join(this.project, '.pace/day-1');
    const names = existsSync(dir) ? readdirSync(dir).sort() : [];
    return names.map((name) => `${name}\n${readFileSync(join(dir, name), 'utf8')}`);
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.project, env: this.#env(), encoding: 'utf8' }).trim();
  }

  #processes(): string[] {
    return readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const isOurs = readlinkSync(`/proc/${pid}/cwd`).startsWith(this.#dir) || command.includes(this.#dir);
        return isOurs ? [`${pid} ${command.replaceAll('\0', ' ')}`] : [];
      } catch {
        return [];
      }
    });
  }

  #env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#dir,
      TMPDIR: this.#temp,
      CRASH_NOTES: this.#notes,
      NODE_COMPILE_CACHE: this.#cache,
    };
  }
}

function write(dir: string, files: Package): string {
  for (const [name, content] of Object.entries(files)) {
    const file = join(dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (content.startsWith('#!')) chmodSync(file, 0o755);
  }
  return dir;
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}
