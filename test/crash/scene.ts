import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, vi } from 'vitest';
import { folder, root } from '../project.ts';
import type { Package } from './packages.ts';
import type { Call } from './receiver.ts';

const source = ['--conditions=patchbay-source', '--disable-warning=ExperimentalWarning'];

/** What a host that has ended in good order keeps in `.patchbay`, besides the files of plugins. */
const kept = /^(plugins|host\.lock|ledger\.db|cache(\/[0-9a-f]{64}\.json)?|logs(\/[a-z]+\.log(\.1)?)?)$/;

/** What `look.ts` prints. */
export interface Looked {
  readonly events: readonly { readonly seq: number; readonly id: string; readonly type: string }[];
  readonly deliveries: readonly {
    readonly id: string;
    readonly seq: number;
    readonly key: string;
    readonly plugin: string;
    readonly status: string;
    readonly awaited: boolean;
    readonly message: string | null;
  }[];
  readonly verified: { readonly ok: boolean; readonly events: number };
}

/** A process in a scene. */
export interface Started {
  readonly child: ChildProcess;
  /** Its exit code and signal, once all it printed has been heard. */
  readonly ended: Promise<[code: number | null, signal: string | null]>;
  stderr(): string;
}

/** A project with plugins, a folder for temporary files, and the processes that work in it one after the other. */
export class Scene {
  readonly #dir = folder();
  readonly project = join(this.#dir, 'project');
  readonly temp = join(this.#dir, 'temp');
  /** How many hosts were started. */
  lives = 0;

  constructor(packages: readonly Package[]) {
    for (const dir of [this.temp, join(this.project, 'notes')]) mkdirSync(dir, { recursive: true });
    writeFileSync(join(this.project, 'patchbay.yaml'), '');
    const dirs = packages.map((files, i) => this.#write(join(this.#dir, `package-${i}`), files));
    this.#run('set-up.ts', this.project, ...dirs);
  }

  /** Starts the host of `host.ts`; `heard` gets what it prints. */
  host(args: readonly string[], heard: (line: string) => void, flags: readonly string[] = [], env = {}): Started {
    this.lives += 1;
    const script = join(import.meta.dirname, 'host.ts');
    return this.#start([...flags, script, this.project, ...args], heard, env);
  }

  /** Starts the host of `flood.ts`. */
  flood(total: number, flags: readonly string[]): Started {
    return this.#start([...flags, join(import.meta.dirname, 'flood.ts'), this.project, String(total)], () => {});
  }

  /** Starts the `patchbay` command in the project, from source as all the rest: the build may be older. */
  command(args: readonly string[], heard: (line: string) => void = () => {}): Started {
    return this.#start([join(root, 'packages/cli/src/main.ts'), ...args], heard);
  }

  #start(args: readonly string[], heard: (line: string) => void, env: Readonly<Record<string, string>> = {}): Started {
    const child = spawn(process.execPath, [...source, ...args], {
      cwd: this.project,
      env: { ...this.#env(), CRASH_LIFE: String(this.lives), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const lines = createInterface({ input: child.stdout }).on('line', heard);
    const exit = once(child, 'close') as Promise<[number | null, string | null]>;
    const ended = Promise.all([exit, once(lines, 'close')]).then(([how]) => how);
    return { child, ended, stderr: () => stderr };
  }

  /** What is in the ledger. */
  look(): Looked {
    return JSON.parse(this.#run('look.ts', this.project)) as Looked;
  }

  /** The calls that a plugin noted. */
  notes(name: string): Call[] {
    const file = join(this.project, 'notes', name);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return lines
      .filter((line) => line !== '')
      .map((line) => ({ life: Number.parseInt(line, 10), key: line.split(' ')[1] ?? '' }));
  }

  /** What is in the state folder of the project, and is nothing that a host keeps there. */
  litter(): string[] {
    const names = readdirSync(join(this.project, '.patchbay'), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => !kept.test(name) && !name.startsWith('plugins/')).sort();
  }

  /** Waits until no process of the project runs and none of its temporary files is there. */
  async deserted(): Promise<void> {
    await vi.waitFor(() => expect([...this.#processes(), ...readdirSync(this.temp)]).toEqual([]), { timeout: 60_000 });
  }

  /** Those that work in the scene's folder or have it, as every launcher process has, in their command line. */
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

  #run(script: string, ...args: string[]): string {
    const options = { cwd: root, env: this.#env(), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
    return execFileSync(process.execPath, [...source, join(import.meta.dirname, script), ...args], options);
  }

  #env(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', HOME: this.#dir, TMPDIR: this.temp };
  }

  #write(dir: string, files: Package): string {
    for (const [name, text] of Object.entries(files)) {
      const file = join(dir, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      if (name.endsWith('.sh')) chmodSync(file, 0o755);
    }
    return dir;
  }
}
