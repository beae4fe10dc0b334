import { join } from 'node:path';
import { PatchbayError, suggestion } from 'patchbay-sdk';
import { importModule } from '../module.ts';

/** The groups under which packages name what they bring. */
export const groups = [
  'hooks',
  'webhook_in',
  'webhook_out',
  'plugins',
  'llm_providers',
  'platforms',
  'reporters',
] as const;

/** See {@link groups}. */
export type Group = (typeof groups)[number];

/** Where one thing is that an entry brings. */
export interface Target {
  readonly group: Group;
  /** The module, absolute. */
  readonly file: string;
  readonly export: string;
}

/** Everything of one name that a package brings: one plugin. */
export interface PaceEntry {
  /** As it is written in package.json, and in the configuration. */
  readonly entry: string;
  readonly version: string;
  readonly targets: readonly [Target, ...Target[]];
}

/** One thing that an entry brings, imported. */
export interface Part {
  readonly group: Group;
  /** For messages: the module and the export. */
  readonly where: string;
  readonly value: unknown;
}

/** The entries of a package in `dir`, by what its manifest says, in that order. */
export function entriesOf(
  dir: string,
  { entries, version }: { readonly entries: Readonly<Record<string, string>>; readonly version: string },
): PaceEntry[] {
  const found = new Map<string, Target[]>();
  for (const [key, target] of Object.entries(entries)) {
    const [, group, entry] = /^pace\.([a-z_]+)\.(.*)$/s.exec(key) ?? [];
    if (group === undefined || entry === undefined) continue;
    const [path = '', name = 'default'] = target.split('#');
    const one = { group: group as Group, file: join(dir, path), export: name };
    found.set(entry, [...(found.get(entry) ?? []), one]);
  }
  return [...found].map(([entry, targets]) => ({ entry, version, targets: targets as [Target, ...Target[]] }));
}

/** Imports what an entry names. Throws PLUGIN_LOAD. */
export async function partsOf({ entry, targets }: PaceEntry): Promise<Part[]> {
  const parts: Part[] = [];
  for (const { group, file, export: name } of targets) {
    const module = await importModule({ name: entry, path: file });
    if (!Object.hasOwn(module, name)) {
      const message = `plugin "${entry}": ${file} exports no "${name}"; ${suggestion(name, Object.keys(module))}`;
      throw new PatchbayError('PLUGIN_LOAD', message, { plugin: entry, file });
    }
    parts.push({ group, where: `${file}#${name}`, value: module[name] });
  }
  return parts;
}
