import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { ContainerCommand } from 'patchbay-sdk';
import { findProgram } from '../sandbox/bubblewrap.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { failed } from './failed.ts';

/** A server that is to run in a container. */
export interface ServerContainer {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  /** What to run in it; null for what the image says. */
  readonly command: string | null;
  readonly args: readonly string[];
  /** Its environment, besides that of the image. */
  readonly env: Readonly<Record<string, string>>;
  /** `HOST_PATH:CONTAINER_PATH`, and `:ro` where it should not change it. */
  readonly volumes: readonly string[];
  /** Of 127.0.0.1, and of the container. */
  readonly ports: readonly { readonly host: number; readonly container: number }[];
}

/** What runs containers of servers. */
export interface ContainerRunner {
  /** The program that runs one, attached, until either ends. Values of variables are not to be seen in its arguments. */
  run(container: ServerContainer): ContainerCommand;
  /** Makes sure that an image is there: built from a file where one is named and it is not. Rejects with what is wrong. */
  provide(image: string, dockerfile: string | null): Promise<void>;
  /** Ends and removes a container; one that is not there is no failure. */
  remove(name: string): Promise<void>;
}

/** How long making an image may take. */
const imageMs = 15 * 60_000;
const commandMs = 60_000;
const inherited = ['PATH', 'HOME', 'LANG', 'TZ', 'XDG_RUNTIME_DIR', 'SSH_AUTH_SOCK'];
/** By what begins so, these commands are told where their service and their files are. */
const heeded = /^(?:DOCKER|CONTAINERS?|REGISTRY|STORAGE)_|^(?:HTTPS?|NO)_PROXY$/;

/** The name of the container of a server of a project. */
export function containerName(project: string, server: string): string {
  const id = createHash('sha256').update(project).digest('hex').slice(0, 8);
  return `patchbay-mcp-${id}-${server}`;
}

/** What runs containers by a command like that of Docker: `docker` or `podman`. */
export class CliRunner implements ContainerRunner {
  readonly #cli: string;
  readonly #project: string;
  readonly #launcher: Launcher;
  readonly #env: Readonly<Record<string, string>>;

  constructor(cli: string, project: string, launcher: Launcher, env: Readonly<Record<string, string | undefined>>) {
    this.#cli = cli;
    this.#project = project;
    this.#launcher = launcher;
    this.#env = pick(env, [...inherited, ...Object.keys(env).filter((name) => heeded.test(name))]);
  }

  run({ name, labels, image, command, args, env, volumes, ports }: ServerContainer): ContainerCommand {
    const flags = [
      // Removing it waits for it as long as this.
      ...['--stop-timeout', '2'],
      ...(command === null ? [] : ['--entrypoint', command]),
      ...Object.entries(labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]),
      ...ports.flatMap(({ host, container }) => ['--publish', `127.0.0.1:${host}:${container}`]),
      ...volumes.flatMap((volume) => ['--volume', this.#located(volume)]),
      // By name only: the values stand in the environment of the command, where others cannot read them. But for those that
      // the command needs itself, and are no secrets.
      ...Object.entries(env).flatMap(([key, value]) => ['--env', key in this.#env ? `${key}=${value}` : key]),
    ];
    return {
      argv: [this.#cli, 'run', '--rm', '--interactive', '--pull=never', '--name', name, ...flags, image, ...args],
      env: { ...env, ...this.#env },
      after: [this.#cli, 'rm', '--force', name],
    };
  }

  async provide(image: string, dockerfile: string | null): Promise<void> {
    if ((await this.#run(['image', 'inspect', image], commandMs)).exitCode === 0) return;
    const file = dockerfile === null ? null : resolve(this.#project, dockerfile);
    const argv = file === null ? ['pull', image] : ['build', '--tag', image, '--file', file, dirname(file)];
    const { exitCode, stderr, timedOut } = await this.#run(argv, imageMs);
    if (exitCode === 0) return;
    const why = timedOut ? 'it took too long' : stderr.text.trim().slice(-1_000);
    const how = file === null ? 'is not there and cannot be pulled' : `cannot be built from ${file}`;
    throw failed(`the image ${image} ${how}: ${why}`);
  }

  async remove(name: string): Promise<void> {
    await this.#run(['rm', '--force', name], commandMs);
  }

  #run(args: readonly string[], timeoutMs: number) {
    return this.#launcher.run({
      argv: [this.#cli, ...args],
      cwd: this.#project,
      env: this.#env,
      timeoutMs,
      namespace: 'none',
    });
  }

  /** A path of the host begins at the project, or at the home of whoever runs this; a name is that of a volume. */
  #located(volume: string): string {
    const [from = '', ...rest] = volume.split(':');
    const home = this.#env['HOME'] ?? '';
    const path = from.startsWith('~/') ? join(home, from.slice(2)) : from;
    const isName = !isAbsolute(path) && !path.includes('/');
    return [isName ? path : resolve(this.#project, path), ...rest].join(':');
  }
}

/**
 * The command of Podman or Docker: the one that is named, or the first that is on the PATH; a runtime that runs no images is not
 * meant. Throws MCP_FAILED if there is none.
 */
export function containerCli(named: string | null): string {
  const names = named === 'podman' || named === 'docker' ? [named] : ['podman', 'docker'];
  const found = names.map((name) => findProgram(name)).find((file) => file !== undefined);
  if (found !== undefined) return found;
  throw failed(`a server of type docker needs ${names.join(' or ')}, which is not installed`);
}

/** Those of these variables that there are. */
export function pick(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found = names.map((name) => [name, env[name]] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
