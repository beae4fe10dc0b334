import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { paceKind } from 'patchbay-sdk/pace';
import { importModule } from '../module.ts';
import { type Group, groups, type Part } from './entry.ts';
import { isClass } from './instance.ts';
import { snakeCase } from './names.ts';

/** A plugin in a folder of the project, imported. */
export interface LocalPlugin {
  readonly entry: string;
  readonly file: string;
  readonly parts: readonly Part[];
}

/** What is in the folders of a project. */
export interface Folders {
  readonly plugins: readonly LocalPlugin[];
  /** Folders in which nothing was found, or nothing that can be run here. */
  readonly warnings: readonly string[];
}

const modules = ['pace_plugin', 'index'].flatMap((name) => ['ts', 'mts', 'js', 'mjs'].map((end) => `${name}.${end}`));
const python = ['pace_plugin.py', '__init__.py'];

/** Imports the plugins of these folders, in this order. Throws PLUGIN_LOAD for a module that cannot be loaded. */
export async function pluginsIn(project: string, dirs: readonly string[]): Promise<Folders> {
  const plugins: LocalPlugin[] = [];
  const warnings: string[] = [];
  const seen = new Set<unknown>();
  for (const dir of dirs) {
    const shown = relative(project, dir) || '.';
    const places = placesIn(dir);
    for (const place of places.filter(({ python }) => python)) {
      const where = relative(project, place.file);
      warnings.push(`${where} is a plugin in Python, which needs the Python bridge: this version cannot run it`);
    }
    if (places.length === 0) {
      const what = existsSync(dir) ? `has no ${modules.join(', ')}, nor a folder with one` : 'does not exist';
      warnings.push(`plugins.dirs: ${shown} ${what}`);
    }
    for (const { file, name } of places.filter(({ python }) => !python)) {
      const found = await exportsOf(file, name, seen);
      plugins.push(...found);
      if (found.length === 0)
        warnings.push(`${relative(project, file)} exports no plugin: a class that extends a base`);
    }
  }
  return { plugins, warnings };
}

interface Place {
  readonly file: string;
  /** For what has no name of its own. */
  readonly name: string;
  readonly python: boolean;
}

/** In the folder itself, then one level below, in alphabetical order. */
function placesIn(dir: string): Place[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  const below = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !/^(?:\.|node_modules$)/.test(entry.name))
    .map(({ name }) => join(dir, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory())
    .sort();
  return [dir, ...below].flatMap((folder) => placeIn(folder) ?? []);
}

function placeIn(folder: string): Place | undefined {
  const there = (name: string) => existsSync(join(folder, name));
  const module = modules.find(there);
  const found = module ?? python.find(there);
  if (found === undefined) return undefined;
  return { file: join(folder, found), name: snakeCase(basename(folder)), python: module === undefined };
}

/** A plugin for each class that a module exports; one that another module exported before is not another one. */
async function exportsOf(file: string, name: string, seen: Set<unknown>): Promise<LocalPlugin[]> {
  const module = await importModule({ name, path: file });
  const exports = Object.keys(module).sort();
  return exports.flatMap((exported) => {
    const value = module[exported];
    if (seen.has(value)) return [];
    const group = groupOf(value);
    if (group === undefined) return [];
    seen.add(value);
    const entry = nameOf(value) ?? (exported === 'default' ? name : snakeCase(exported));
    return [{ entry, file, parts: [{ group, where: `${file}#${exported}`, value }] }];
  });
}

function groupOf(value: unknown): Group | undefined {
  const from = isClass(value) ? value : (value as { constructor?: unknown } | null)?.constructor;
  const kind = (from as { [paceKind]?: unknown } | undefined)?.[paceKind];
  return groups.find((group) => group === kind);
}

function nameOf(value: unknown): string | undefined {
  const { pluginName, name } = (isClass(value) ? value : (value as object).constructor) as {
    pluginName?: unknown;
    name: string;
  };
  if (typeof pluginName === 'string' && pluginName !== '') return pluginName;
  return name === '' ? undefined : snakeCase(name);
}
