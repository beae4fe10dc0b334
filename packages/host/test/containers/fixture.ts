import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { AnyPlugin, Hooks } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import type { AssistantWorkspace, ContainerSettings } from '../../src/config/assistant-settings.ts';
import { Containers, type Facts } from '../../src/containers/index.ts';
import { openHost } from '../../src/host.ts';
import type { Kernel } from '../../src/kernel/index.ts';
import { type Ended, type Job, Launcher } from '../../src/sandbox/launcher.ts';
import { builtins, workspaceWith } from './settings.ts';

/** A kernel with these plugins, until the test is over. */
export async function kernelOf(plugins: readonly AnyPlugin[] = builtins) {
  const host = await openHost({ cwd: folder({ 'patchbay.yaml': '' }), version: '0.0.0', builtins: plugins });
  onTestFinished(() => host.close());
  return host.kernel;
}

/** A project with a workspace, and what programs in it are run with, until the test is over. */
export class Den {
  readonly project = folder({
    'patchbay.yaml': 'plugins: {}\n',
    '.patchbay/api-token': 'the token',
    '.patchbay/ledger.db': 'the ledger',
    '.patchbay/runs/r1/t1-1/bundle/goal.md': 'the goal',
    'workspaces/den/note.txt': 'a note\n',
    'workspaces/other/diary.txt': 'private',
    'agent.mjs': 'console.log("agent");\n',
  });
  readonly workspace = join(this.project, 'workspaces/den');
  readonly attempt = join(this.project, '.patchbay/runs/r1/t1-1');
  readonly logged: string[] = [];
  readonly launcher = new Launcher({ project: this.project });
  readonly containers: Containers;

  private constructor(kernel: Kernel<Hooks>, settings: ContainerSettings, env: NodeJS.ProcessEnv) {
    const log = (line: string) => this.logged.push(line);
    this.containers = new Containers({ kernel, project: this.project, settings, env, log });
    onTestFinished(async () => {
      await this.containers.close();
      await this.launcher.close();
    });
  }

  static async open(settings: Partial<ContainerSettings> = {}, plugins = builtins, env = process.env): Promise<Den> {
    return new Den(await kernelOf(plugins), { runtime: null, image: null, ...settings }, env);
  }

  /** The job of a program, as a turn asks for it. */
  job(argv: readonly string[], more: Partial<Job> = {}): Job {
    return {
      argv,
      cwd: this.workspace,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/root' },
      readOnly: [join(this.project, '.patchbay'), join(this.project, 'patchbay.yaml')],
      writable: [this.attempt],
      hidden: [join(this.project, '.patchbay/api-token')],
      timeoutMs: 60_000,
      ...more,
    };
  }

  /** Runs a program in the workspace. */
  async run(
    argv: readonly string[],
    {
      container = {},
      job = {},
      facts = {},
      repoAccess = false,
      signal,
    }: {
      container?: Partial<AssistantWorkspace['container']>;
      job?: Partial<Job>;
      facts?: Partial<Facts>;
      repoAccess?: boolean;
      signal?: AbortSignal;
    } = {},
  ): Promise<Ended> {
    const surrounded = await this.containers.surround(
      { run_id: 'r1', turn_id: 't1', bundle: join(this.attempt, 'bundle'), ...facts },
      { ...workspaceWith(container), repoAccess },
      this.job(argv, job),
    );
    return this.launcher.run(surrounded, signal);
  }

  /** Runs a line of a shell in the workspace; gives what it printed. Throws if it fails. */
  async sh(line: string, more: Parameters<Den['run']>[1] = {}): Promise<string> {
    const { exitCode, signal, stdout, stderr } = await this.run(['sh', '-c', line], more);
    if (exitCode === 0) return stdout.text.trim();
    throw new Error(`${exitCode ?? signal}: ${stderr.text}`);
  }

  /** Writes a file of the project; gives its path. */
  put(name: string, text: string): string {
    const file = join(this.project, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    return file;
  }
}

/** A server of the host that says "hello" to whoever connects, until the test is over; gives its port. */
export async function greeter(): Promise<number> {
  const server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
