import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnyPlugin } from 'patchbay-sdk';
import { httpCore, manualCore, scriptCore } from 'plugin-cores';
import { onTestFinished } from 'vitest';
import { openHost } from '../../packages/host/src/host.ts';
import { type InstallOptions, installPlugin } from '../../packages/host/src/install/index.ts';
import type { StoredEvent } from '../../packages/host/src/ledger/index.ts';
import type { RunState } from '../../packages/host/src/runs/state.ts';
import { findTemplate } from '../../packages/host/src/runs/template/find.ts';
import type { Template } from '../../packages/host/src/runs/template/template.ts';
import type { Service } from '../../packages/host/src/service.ts';
import { folder } from '../project.ts';

const cases = import.meta.dirname;

/** Calls git as a user does; gives what it prints. */
export function git(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.invalid'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** How a flow is staged. */
export interface Staging {
  /** Whether the project is a git repository. @default true */
  readonly repository?: boolean;
  /** Other files of the project. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A project with the template of a case, `test/flows/CASE/flow.yaml`, the script that plays its roles, `agent.sh`, and its plan. */
export class Stage {
  readonly dir: string;
  readonly #case: string;
  readonly #events: StoredEvent[] = [];

  constructor(name: string, { repository = true, files = {} }: Staging = {}) {
    this.#case = join(cases, name);
    const all = { 'patchbay.yaml': '', '.gitignore': '.patchbay/\nsources/\n', 'src/a.txt': 'a\n', ...files };
    this.dir = folder(all);
    mkdirSync(this.file('patchbay/templates'), { recursive: true });
    const placed = { 'flow.yaml': 'patchbay/templates/flow.yaml', 'agent.sh': 'agent.sh', 'plan.yaml': 'plan.yaml' };
    for (const [from, to] of Object.entries(placed)) {
      if (existsSync(join(this.#case, from))) cpSync(join(this.#case, from), this.file(to));
    }
    if (!repository) return;
    git(this.dir, 'init', '--quiet', '--initial-branch=main');
    this.commit();
  }

  /** The file of the golden ledger. */
  get golden(): string {
    return join(this.#case, 'ledger.txt');
  }

  file(path: string): string {
    return join(this.dir, path);
  }

  /** What is in a file of the project; undefined if there is none. */
  read(path: string): string | undefined {
    return existsSync(this.file(path)) ? readFileSync(this.file(path), 'utf8') : undefined;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.file(path)), { recursive: true });
    writeFileSync(this.file(path), text);
  }

  commit(): void {
    git(this.dir, 'add', '--all');
    git(this.dir, 'commit', '--quiet', '--allow-empty', '--message=change');
  }

  /** Installs a package of these files, those in `hooks/` with their run bit. */
  async install(name: string, files: Readonly<Record<string, string>>, options: Partial<InstallOptions> = {}) {
    for (const [path, text] of Object.entries(files)) {
      this.write(`sources/${name}/${path}`, text);
      if (path.startsWith('hooks/')) chmodSync(this.file(`sources/${name}/${path}`), 0o755);
    }
    return this.bring(this.file(`sources/${name}`), options);
  }

  /** Installs a package from where it is. */
  bring(source: string, options: Partial<InstallOptions> = {}) {
    return installPlugin(source, { cwd: this.dir, yes: true, ...options });
  }

  /** Opens a host in the project and lets it work, until `close` or the end of the test. */
  async start(...more: AnyPlugin[]) {
    const builtins = [scriptCore, manualCore, httpCore, ...more];
    const host = await openHost({ cwd: this.dir, version: '0.0.0', builtins });
    onTestFinished(() => host.close());
    const service = await host.start();
    service.ledger.on('appended', ({ event }) => void this.#events.push(event));
    return { service, close: () => host.close() };
  }

  /** The template of the case, as it is now. */
  template(): Template {
    return findTemplate('flow', this.dir);
  }

  /** Begins the run of the case and carries it on until it ends or waits. */
  async run(service: Service, goal = 'Make it work'): Promise<RunState> {
    const run_id = await service.runs.request({ template: this.template(), goal, by: 'pat' });
    return this.advance(service, run_id);
  }

  async advance(service: Service, run_id: string): Promise<RunState> {
    const state = await service.runs.advance(run_id);
    await service.rest();
    return state;
  }

  /** What happened in runs, in the order of the ledger. */
  get events(): readonly StoredEvent[] {
    return this.#events.filter(({ run_id, type }) => run_id !== null && !type.startsWith('delivery:'));
  }

  /** A file of what the run has come to, on its branch. */
  result({ run_id }: Pick<RunState, 'run_id'>, path: string): string {
    return git(this.dir, 'show', `patchbay/${run_id}:${path}`);
  }
}
