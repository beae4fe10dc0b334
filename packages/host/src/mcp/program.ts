import { randomUUID } from 'node:crypto';
import { guarded } from '../runs/confinement.ts';
import type { Conversation, Job, Launcher } from '../sandbox/launcher.ts';
import type { Workspace } from '../workspaces/index.ts';
import { type ContainerRunner, containerName, pick } from './containers.ts';
import { expand, portNames } from './placeholders.ts';
import { processWith } from './process-id.ts';
import type { ServerLog } from './server-log.ts';
import { hasPort, type ServerSpec } from './spec.ts';
import { ConversationTransport } from './stdio.ts';

/** What programs of servers are started with. */
export interface ProgramParts {
  readonly project: string;
  readonly launcher: Launcher;
  /** The environment of which servers see what is forwarded to them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What runs containers. Rejects if there is nothing that does. */
  readonly containers: () => Promise<ContainerRunner>;
}

/** The ports of a server on this machine. */
export interface TakenPorts {
  /** Null if it is not spoken with through one. */
  readonly port: number | null;
  readonly extra: readonly number[];
}

/** As long as a timer can be set, and the launcher still adds to: 23 days. */
const longestMs = 2_000_000_000;
const base = ['PATH', 'HOME', 'LANG', 'TZ'];
const marker = 'PATCHBAY_MCP_SERVER';

/** The program of a server, under way. */
export class ServerProgram {
  /** Resolves with how it ended, when nothing of it is left. Never rejects. */
  readonly ended: Promise<string>;
  readonly #conversation: Conversation;
  readonly #mark: string;
  readonly #remove: (() => Promise<void>) | undefined;
  #pid: number | null = null;

  private constructor(conversation: Conversation, mark: string, remove?: () => Promise<void>) {
    this.#conversation = conversation;
    this.#mark = mark;
    this.#remove = remove;
    this.ended = this.#watch();
  }

  /** Starts it. Rejects with what is wrong if it cannot be. */
  static async start(spec: ServerSpec, ports: TakenPorts, parts: ProgramParts, log: ServerLog): Promise<ServerProgram> {
    const mark = `${spec.name}:${randomUUID()}`;
    const runner = spec.type === 'docker' ? await parts.containers() : undefined;
    const name = containerName(parts.project, spec.name);
    const remove = runner === undefined ? undefined : () => runner.remove(name).catch(() => undefined);
    // What a host that was killed has left has its name.
    await remove?.();
    const job =
      runner === undefined ? scriptJob(spec, ports, parts) : await dockerJob(spec, ports, parts, runner, name);
    const env = { ...job.env, [marker]: mark };
    const conversation = await parts.launcher.converse({ ...job, env, timeoutMs: longestMs }, (text) => {
      log.printed('stderr', text);
    });
    const program = new ServerProgram(conversation, mark, remove);
    if (spec.transport !== 'stdio') void listen(conversation, log);
    return program;
  }

  /** Speaks with it over its standard input and output; can be asked for once. */
  transport(): ConversationTransport {
    return new ConversationTransport(this.#conversation);
  }

  /** Its process; null where that cannot be found out. */
  pid(): number | null {
    this.#pid ??= processWith(marker, this.#mark);
    return this.#pid;
  }

  /** Ends it, and all that it started. */
  async stop(): Promise<void> {
    this.#conversation.stop();
    await this.ended;
  }

  async #watch(): Promise<string> {
    const how = await this.#conversation.ended.then(
      ({ exitCode, signal }) => (signal === null ? `exit code ${exitCode}` : `signal ${signal}`),
      (error: Error) => error.message,
    );
    await this.#remove?.();
    return how;
  }
}

/** What placeholders stand for: of ports, those that the server itself sees, or those of this machine. */
export function valuesOf(spec: ServerSpec, ports: TakenPorts, seen: 'inside' | 'outside'): Record<string, string> {
  if (!hasPort(spec)) return { ...spec.values };
  const inside = spec.type === 'docker' && seen === 'inside';
  const numbers = inside ? [spec.port, ...spec.extraPorts] : [ports.port, ...ports.extra];
  const names = portNames(spec.extraPorts.length);
  return { ...Object.fromEntries(names.map((name, index) => [name, String(numbers[index])])), ...spec.values };
}

/** The variables of a server that are its own: what is forwarded, and what is said. */
export function variablesOf(
  spec: ServerSpec,
  values: Readonly<Record<string, string>>,
  env: ProgramParts['env'],
): Record<string, string> {
  const forwarded = Object.entries(spec.envForward).map(([own, host]) => [own, env[host]] as const);
  const said = Object.entries(spec.env).map(([name, text]) => [name, expand(text, values)] as const);
  const all = [...forwarded, ...said].filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(all);
}

function portVariables(spec: ServerSpec, { port, extra_ports }: { port?: string | undefined; extra_ports: string }) {
  if (!hasPort(spec) || port === undefined) return {};
  return { PORT: port, ...(extra_ports === '' ? {} : { EXTRA_PORTS: extra_ports }) };
}

/** What is run, and its environment, as the server itself sees it. */
function insideOf(spec: ServerSpec, ports: TakenPorts, env: ProgramParts['env']) {
  const values = valuesOf(spec, ports, 'inside');
  const extra_ports = portNames(spec.extraPorts.length)
    .slice(1)
    .map((name) => values[name])
    .join(',');
  return {
    command: spec.command === null ? null : expand(spec.command, values),
    args: spec.args.map((arg) => expand(arg, values)),
    env: { ...portVariables(spec, { port: values['port'], extra_ports }), ...variablesOf(spec, values, env) },
    values,
  };
}

function scriptJob(spec: ServerSpec, ports: TakenPorts, { project, env }: ProgramParts): Omit<Job, 'timeoutMs'> {
  const inside = insideOf(spec, ports, env);
  // Its tools are called by agents: it can be made to do no more to the host than they can.
  const guard = guarded({ project, kind: 'folder', root: project } as Workspace);
  const argv = [inside.command ?? '', ...inside.args];
  return { argv, cwd: project, env: { ...pick(env, base), ...inside.env }, ...guard };
}

async function dockerJob(
  spec: ServerSpec,
  ports: TakenPorts,
  { project, env }: ProgramParts,
  runner: ContainerRunner,
  name: string,
): Promise<Omit<Job, 'timeoutMs'>> {
  const inside = insideOf(spec, ports, env);
  const image = expand(spec.image ?? '', inside.values);
  await runner.provide(image, spec.dockerfile);
  const pairs = [
    [ports.port, spec.port] as const,
    ...ports.extra.map((port, index) => [port, spec.extraPorts[index]] as const),
  ];
  const published = pairs.flatMap(([host, container]) => (host === null || !container ? [] : [{ host, container }]));
  const run = runner.run({
    name,
    labels: { 'dev.patchbay.project': project, 'dev.patchbay.mcp': spec.name },
    image,
    command: inside.command,
    args: inside.args,
    env: inside.env,
    volumes: spec.volumes.map((volume) => expand(volume, inside.values)),
    ports: published,
  });
  return { ...run, cwd: project, namespace: 'none' };
}

/** Who speaks by a port may print what it likes. */
async function listen(conversation: Conversation, log: ServerLog): Promise<void> {
  for (let text = await conversation.read(); text !== null; text = await conversation.read())
    log.printed('stdout', text);
}
