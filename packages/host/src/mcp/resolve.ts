import { suggestion } from 'patchbay-sdk';
import { withheld } from '../runs/confinement.ts';
import { expand, placeholdersIn, portNames } from './placeholders.ts';
import { type Fields, hasPort, type Problem, type ServerSpec } from './spec.ts';

/** A server that is spoken of, and what placeholders stand for in it. */
export interface Instance {
  readonly name: string;
  /** Where it stands in the project file. */
  readonly path: string;
  readonly fields: Fields;
  readonly values: Readonly<Record<string, string>>;
}

const usualIdleS = 600;
/** Timers can be set no longer than this. */
const mostMs = 2_147_483_647;

/** A server as it is to be run, or all that is wrong with it, `known` included. */
export function resolved(
  { name, fields, values, path }: Instance,
  plugin: string | null,
  known: readonly Problem[],
): ServerSpec | { readonly problems: readonly Problem[] } {
  const idle = fields.idleTimeout ?? usualIdleS;
  const spec: ServerSpec = {
    name,
    plugin,
    values,
    type: fields.type ?? 'script',
    transport: fields.transport ?? 'streamable_http',
    image: fields.image ?? null,
    dockerfile: fields.dockerfile ?? null,
    command: fields.command ?? null,
    args: fields.args ?? [],
    url: fields.url ?? null,
    headers: withoutNull(fields.headers),
    port: fields.port ?? null,
    extraPorts: fields.extraPorts ?? [],
    idleMs: idle === 0 ? null : Math.min(idle * 1000, mostMs),
    env: withoutNull(fields.env),
    envForward: withoutNull(fields.envForward),
    volumes: fields.volumes ?? [],
  };
  const problems = [...known, ...lacking(spec), ...unknownPlaceholders(spec)];
  return problems.length === 0 ? spec : { problems: problems.map((one) => ({ ...one, path: `${path}.${one.path}` })) };
}

function withoutNull(mapping: Readonly<Record<string, string | null>> | null | undefined): Record<string, string> {
  const given = Object.entries(mapping ?? {}).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(given);
}

function* lacking(spec: ServerSpec): Iterable<Problem> {
  const { type, transport, command, image, url, port, envForward } = spec;
  if (type === 'script' && !command) yield { path: 'command', message: 'must say which program to run' };
  if (type === 'docker' && !image) yield { path: 'image', message: 'must say which image to run' };
  if (type === 'docker' && transport !== 'stdio' && port === null) {
    yield { path: 'port', message: 'must say on which port of its container it listens' };
  }
  if (type === 'url' && !url) yield { path: 'url', message: 'must say where it is' };
  if (url && !isAddress(expand(url, { port: '1', ...spec.values }))) {
    yield { path: 'url', message: 'must be an address that begins with http:// or https://' };
  }
  if (type === 'url' && transport === 'stdio') yield { path: 'transport', message: 'must be streamable_http or sse' };
  for (const name of Object.values(envForward)) {
    const whose = withheld.get(name ?? '');
    if (whose !== undefined)
      yield { path: 'env_forward', message: `${name} is for ${whose}, and given to nobody else` };
  }
}

function isAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** The fields that may hold placeholders, with their texts. */
function* texts({ command, args, url, image, headers, env, volumes }: ServerSpec): Iterable<[string, string]> {
  for (const [field, text] of Object.entries({ command, url, image })) if (text !== null) yield [field, text];
  for (const [index, text] of args.entries()) yield [`args.${index}`, text];
  for (const [index, text] of volumes.entries()) yield [`volumes.${index}`, text];
  for (const [name, text] of Object.entries(env)) yield [`env.${name}`, text];
  for (const [name, text] of Object.entries(headers)) yield [`headers.${name}`, text];
}

function* unknownPlaceholders(spec: ServerSpec): Iterable<Problem> {
  const ports = hasPort(spec) ? portNames(spec.extraPorts.length) : [];
  const variables = [...Object.keys(spec.env), ...Object.keys(spec.envForward)];
  for (const [path, text] of texts(spec)) {
    const known = [...Object.keys(spec.values), ...ports, ...(path.startsWith('headers.') ? variables : [])];
    for (const name of placeholdersIn(text)) {
      if (!known.includes(name)) yield { path, message: `there is nothing for {${name}}: ${suggestion(name, known)}` };
    }
  }
}
