import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fieldsOf, type Invalid, type YamlFile } from './yaml-file.ts';

/** What `pace/pace.config.yaml` says, as far as it is read here; its other fields are PACE's own. */
export interface PaceSettings {
  readonly file: string;
  /** Where the plan is, absolute: there may be none yet. */
  readonly plan: string;
  /** Folders with plugins of the project, absolute, in the order of the file. */
  readonly dirs: readonly string[];
  readonly webhookPort: number | null;
  /** By name of entry; references to the environment are not looked up yet. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What plugins may do that are not installed, by name of entry. */
  readonly grants: Readonly<Record<string, readonly string[]>>;
  /** The keys with which their requests are signed, by name of entry, as they are written. */
  readonly signing: Readonly<Record<string, unknown>>;
  /** Entries that may run in the process of the host. */
  readonly trusted: readonly string[];
  /** Entries that are switched off. */
  readonly disabled: readonly string[];
  /** How often FORGE may try; null for what the template says. */
  readonly attempts: number | null;
  readonly cost: { readonly dayUsd: number | null; readonly totalUsd: number | null };
  /** Gates of the day that wait for a person, or do not. */
  readonly gates: Readonly<Record<string, 'human' | 'automatic'>>;
}

type Plugins = Pick<PaceSettings, 'dirs' | 'webhookPort' | 'config' | 'grants' | 'signing' | 'trusted' | 'disabled'>;

/** Where a project keeps its PACE settings. */
export function paceFile(dir: string): string {
  return join(dir, 'pace', 'pace.config.yaml');
}

/** Reads the settings of the project in `dir`. Throws PROJECT_INVALID. */
export function readPace(dir: string, { root, invalid }: YamlFile): PaceSettings {
  const file = paceFile(dir);
  const beside = join(dirname(file), 'plan.yaml');
  const cost = fieldsOf(root['cost'] ?? {}, ['cost'], ['day_usd', 'total_usd'], invalid);
  return {
    file,
    plan: existsSync(beside) || !existsSync(join(dir, 'plan.yaml')) ? beside : join(dir, 'plan.yaml'),
    ...readPlugins(dir, root['plugins'] ?? {}, invalid),
    attempts: number(root['attempts'], ['attempts'], invalid, 1),
    cost: {
      dayUsd: number(cost['day_usd'], ['cost', 'day_usd'], invalid),
      totalUsd: number(cost['total_usd'], ['cost', 'total_usd'], invalid),
    },
    gates: gatesOf(root['gates'] ?? {}, invalid),
  };
}

function readPlugins(dir: string, plugins: unknown, invalid: Invalid): Plugins {
  if (Array.isArray(plugins)) return readShipped(plugins, invalid);
  const known = ['dirs', 'webhook_port', 'config', 'grants', 'signing', 'trusted'];
  const fields = fieldsOf(plugins, ['plugins'], known, invalid);
  const byEntry = (field: string) => fieldsOf(fields[field] ?? {}, ['plugins', field], undefined, invalid);
  return {
    dirs: texts(fields['dirs'] ?? [], ['plugins', 'dirs'], invalid).map((path) => folderOf(dir, path, invalid)),
    webhookPort: portOf(fields['webhook_port'], ['plugins', 'webhook_port'], invalid),
    config: mapped(byEntry('config'), (value, entry) =>
      fieldsOf(value ?? {}, ['plugins', 'config', entry], undefined, invalid),
    ),
    grants: mapped(byEntry('grants'), (value, entry) => texts(value, ['plugins', 'grants', entry], invalid)),
    signing: byEntry('signing'),
    trusted: texts(fields['trusted'] ?? [], ['plugins', 'trusted'], invalid),
    disabled: [],
  };
}

/** The list that PACE shipped: an item for each plugin. */
function readShipped(plugins: readonly unknown[], invalid: Invalid): Plugins {
  const items = plugins.map((item) => {
    const known = ['name', 'enabled', 'webhook_in_port', 'config'];
    const { name, enabled = true, webhook_in_port, config } = fieldsOf(item, ['plugins'], known, invalid);
    if (typeof name !== 'string' || name === '') throw invalid(['plugins'], 'every item needs the "name" of a plugin');
    if (typeof enabled !== 'boolean') throw invalid(['plugins'], `"enabled" of ${name} must be true or false`);
    const port = portOf(webhook_in_port, ['plugins'], invalid);
    return { name, enabled, port, config: fieldsOf(config ?? {}, ['plugins'], undefined, invalid) };
  });
  const ports = new Set(items.flatMap(({ port }) => port ?? []));
  if (ports.size > 1) throw invalid(['plugins'], `there is one webhook server, not one on each of ${[...ports]}`);
  return {
    dirs: [],
    webhookPort: [...ports][0] ?? null,
    config: Object.fromEntries(items.map(({ name, config }) => [name, config])),
    grants: {},
    signing: {},
    trusted: [],
    disabled: items.filter(({ enabled }) => !enabled).map(({ name }) => name),
  };
}

/** From the folder of the project, or where it is not there, from that of the file. */
function folderOf(dir: string, path: string, invalid: Invalid): string {
  const places = [resolve(dir, path), resolve(dir, 'pace', path)];
  const folder = places.find((place) => existsSync(place)) ?? (places[0] as string);
  if (folder !== dir && !folder.startsWith(join(dir, '/'))) {
    throw invalid(['plugins', 'dirs'], `"${path}" must stay inside the project`);
  }
  return folder;
}

function gatesOf(value: unknown, invalid: Invalid): PaceSettings['gates'] {
  return mapped(fieldsOf(value, ['gates'], undefined, invalid), (kind, gate) => {
    if (kind === 'human' || kind === 'automatic') return kind;
    throw invalid(['gates', gate], 'must be human or automatic');
  });
}

function portOf(value: unknown, path: readonly string[], invalid: Invalid): number | null {
  const port = number(value, path, invalid);
  if (port !== null && (!Number.isInteger(port) || port > 65_535)) throw invalid(path, 'must be the number of a port');
  return port;
}

function number(value: unknown, path: readonly string[], invalid: Invalid, least = 0): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
  throw invalid(path, `must be a number, ${least} or more`);
}

function texts(value: unknown, path: readonly string[], invalid: Invalid): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalid(path, 'must be a list of texts');
}

function mapped<T>(fields: Readonly<Record<string, unknown>>, read: (value: unknown, name: string) => T) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, read(value, name)]));
}
