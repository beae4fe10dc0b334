import { isMapping, overlaid, readFields, unknownField } from './fields.ts';
import { type GrantsOf, ungranted } from './grants.ts';
import { type Instance, resolved } from './resolve.ts';
import type { Fields, Problem, ServerSpec } from './spec.ts';

type Raw = Readonly<Record<string, unknown>>;

/** A server that a plugin brings, as it says. */
export interface Brought {
  readonly plugin: string;
  readonly spec: Raw;
}

/** A server that cannot be used, and why. */
export interface Unusable {
  readonly name: string;
  /** Who brings it; null if only the project speaks of it. */
  readonly plugin: string | null;
  readonly problems: readonly Problem[];
}

/** What came of all that is said of servers. */
export interface Specs {
  readonly servers: readonly ServerSpec[];
  readonly unusable: readonly Unusable[];
  /** What is wrong in the project file, whatever plugins say. */
  readonly misspelt: readonly Problem[];
  /** What is not wrong, but not as somebody may think. */
  readonly notes: readonly string[];
}

const serverName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const notAName = 'is no name of a server: letters, digits, _ and -, 64 at the most';

interface Base {
  readonly fields: Fields;
  readonly plugin: string;
}

/**
 * The servers that plugins bring, in the order in which these were called, and those of the project: what the project says of a
 * server wins field by field. Of two plugins that bring one of the same name, the one that was called first counts, which is the
 * one registered last unless they say otherwise. Never throws.
 */
export function specsOf(
  brought: readonly Brought[],
  config: Readonly<Record<string, Raw>>,
  grantsOf: GrantsOf = () => null,
): Specs {
  const { bases, unusable, notes } = basesOf(brought);
  const misspelt: Problem[] = [];
  const servers: ServerSpec[] = [];
  for (const name of new Set([...bases.keys(), ...Object.keys(config)])) {
    const path = `mcp_servers.${name}`;
    const said = readServer((Object.hasOwn(config, name) && config[name]) || {}, path);
    misspelt.push(...(serverName.test(name) ? said.problems : [{ path, message: notAName }, ...said.problems]));
    const { fields: base = {}, plugin = null } = bases.get(name) ?? {};
    const grants = plugin === null ? null : grantsOf(plugin);
    for (const one of instancesOf(name, said)) {
      const own = overlaid(said.fields, one.fields);
      const made = resolved({ ...one, fields: overlaid(base, own) }, plugin, ungranted(base, own, grants));
      if ('problems' in made) unusable.push({ name: one.name, plugin, problems: made.problems });
      else servers.push(made);
    }
  }
  return { servers, unusable, misspelt, notes };
}

/** What plugins say of servers, by name. */
function basesOf(brought: readonly Brought[]) {
  const notes: string[] = [];
  const unusable: Unusable[] = [];
  const bases = new Map<string, Base>();
  for (const { plugin, spec } of brought) {
    const { name, ...raw } = spec;
    const shown = typeof name === 'string' ? name : String(JSON.stringify(name) ?? name);
    const { fields, rest, problems } = readFields(raw, shown);
    const all = [...problems, ...Object.keys(rest).map((key) => unknownField(key, shown))];
    if (!serverName.test(shown)) all.unshift({ path: shown, message: notAName });
    const before = bases.get(shown)?.plugin;
    if (all.length > 0) {
      unusable.push({ name: shown, plugin, problems: all });
    } else if (before === undefined) {
      bases.set(shown, { fields, plugin });
    } else {
      const who = `the plugins "${before}" and "${plugin}"`;
      notes.push(`${who} both bring an MCP server "${shown}": that of "${before}" counts`);
    }
  }
  return { bases, unusable, notes };
}

interface Said {
  readonly fields: Fields;
  readonly instances: readonly Instance[];
  readonly problems: readonly Problem[];
}

/** A server of the project file: its fields, and its instances, which are all else that holds fields. */
function readServer(raw: Raw, path: string): Said {
  const { fields, rest, problems } = readFields(raw, path);
  const all = [...problems];
  const instances: Instance[] = [];
  for (const [name, value] of Object.entries(rest)) {
    if (!isMapping(value)) {
      all.push(unknownField(name, path));
      continue;
    }
    const at = `${path}.${name}`;
    if (!serverName.test(name)) all.push({ path: at, message: notAName });
    const own = readFields(value, at);
    const values = Object.entries(own.rest);
    const wrong = values.filter(([, one]) => !['string', 'number', 'boolean'].includes(typeof one));
    all.push(...own.problems, ...wrong.map(([key]) => ({ path: `${at}.${key}`, message: 'must be a text' })));
    const texts = Object.fromEntries(values.map(([key, one]) => [key, String(one)]));
    instances.push({ name, path: at, fields: own.fields, values: texts });
  }
  return { fields, instances, problems: all };
}

/** A server that has instances is only what they are made from. */
function instancesOf(name: string, { instances }: Said): readonly Instance[] {
  if (instances.length === 0) return [{ name, path: `mcp_servers.${name}`, fields: {}, values: {} }];
  return instances.map((one) => ({ ...one, name: `${name}.${one.name}` }));
}
