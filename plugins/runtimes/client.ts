import type { ContainerCommand, ContainerRuntime, ContainerSpec } from 'patchbay-sdk';
import { ask, find } from './ask.ts';

/** A container of an image, with the arguments that give it its environment. */
export interface ImageSpec extends ContainerSpec {
  readonly image: string;
  readonly variables: readonly string[];
}

/** The program of a container service, and how it is spoken to. */
export interface Client {
  readonly name: string;
  readonly cli: string;
  /** Succeeds only where the service answers. */
  readonly probe: readonly string[];
  /** What makes it run, for people. */
  readonly hint: string;
  /** Brings the service up. @default nothing does */
  readonly start?: readonly string[];
  /** Prints the names of containers that run, one a line. */
  readonly list: readonly string[];
  readonly remove: (name: string) => string[];
  /** What `remove` says of one that is gone. */
  readonly gone: RegExp;
  /** The arguments that run a container. */
  readonly run: (spec: ImageSpec) => string[] | Promise<string[]>;
  /** How the names of variables begin that the program itself heeds, besides the usual ones. */
  readonly heeds: readonly string[];
  readonly limits?: ContainerRuntime['limits'];
}

/** What any client heeds: where programs, settings and sockets are, how it is loaded, and whom it trusts. */
const usual = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_', 'TZ', 'TMPDIR', 'XDG_', 'DBUS_', 'SYSTEMD_', 'NOTIFY_SOCKET', 'LISTEN_'],
  ...['LD_', 'DYLD_', 'GLIBC_', 'MALLOC_', 'GCONV_PATH', 'LOCPATH', 'NLSPATH', 'GO', 'SSL_CERT_', 'SSH_'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
];
/** Bringing a service up, or a container down, may take a while. */
const longMs = 60_000;

/** A runtime that is spoken to by a program. */
export function clientRuntime(client: Client): ContainerRuntime {
  const { name, cli, probe, hint, start, list, gone } = client;
  const answers = async () => find(cli) !== undefined && (await ask(cli, probe)).exit === 0;
  return {
    name,
    cli,
    isAvailable: answers,
    ensureRunning: async () => {
      programOf(client);
      if (await answers()) return;
      const { problem } = start === undefined ? await ask(cli, probe) : await ask(cli, start, longMs);
      if (start === undefined || !(await answers())) throw new Error(`${name} does not run: ${problem}. ${hint}`);
    },
    listRunningContainers: async (prefix) => {
      const { exit, stdout, problem } = await ask(cli, list);
      if (exit !== 0) throw new Error(`${name} lists no containers: ${problem}. ${hint}`);
      return stdout.split('\n').filter((line) => line !== '' && line.startsWith(prefix));
    },
    command: (spec) => commandOf(client, spec),
    remove: async (container) => {
      const { exit, problem } = await ask(cli, client.remove(container), longMs);
      if (exit !== 0 && !gone.test(problem)) throw new Error(`${name} did not remove ${container}: ${problem}`);
    },
    ...(client.limits === undefined ? {} : { limits: client.limits }),
  };
}

function programOf({ name, cli, hint }: Client): string {
  const program = find(cli);
  if (program === undefined) throw new Error(`${name} is not installed: there is no command "${cli}". ${hint}`);
  return program;
}

async function commandOf(client: Client, spec: ContainerSpec): Promise<ContainerCommand> {
  const { image } = spec;
  if (image === undefined) {
    throw new Error(`${client.name} runs images, and none is named. Say in patchbay.yaml: container: { image: NAME }`);
  }
  const program = programOf(client);
  const isOwn = (name: string) => [...usual, ...client.heeds].some((start) => name.toUpperCase().startsWith(start));
  const own = Object.entries(process.env).filter(([name]) => isOwn(name)) as [string, string][];
  const given = Object.entries(spec.env);
  // What the program would heed itself stands among its arguments: whoever chose it chose it for the container.
  // By name alone the program takes the value from its own environment, where nobody sees it in a list of processes.
  const variables = given.flatMap(([name, value]) => ['--env', isOwn(name) ? `${name}=${value}` : name]);
  const env = Object.fromEntries([...given.filter(([name]) => !isOwn(name)), ...own]);
  const args = await client.run({ ...spec, image, variables });
  return { argv: [program, ...args], env, after: [program, ...client.remove(spec.name)] };
}

/** A mount as clients write it. Throws for a path that cannot be written so. */
export function mountArgument({ from, to, readOnly }: ContainerSpec['mounts'][number]): string {
  const odd = [from, to].find((path) => /[",\n\r]/.test(path));
  if (odd !== undefined) throw new Error(`${JSON.stringify(odd)} cannot be mounted: it has a comma, quote or line end`);
  return `type=bind,source=${from},target=${to}${readOnly ? ',readonly' : ''}`;
}

/** Arguments of one name, each with a value. */
export function each(flag: string, values: readonly string[]): string[] {
  return values.flatMap((value) => [flag, value]);
}
