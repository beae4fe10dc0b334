import { fieldsOf, type Invalid, type YamlFile } from './yaml-file.ts';

/** What a project says of where it is hosted, and of who reports its runs. */
export interface ReportSettings {
  /** Null if nothing is said. */
  readonly platform: { readonly name: string; readonly settings: Readonly<Record<string, unknown>> } | null;
  /** Which reporters are used; null for those that are by default. */
  readonly reporters: readonly string[] | null;
}

/** Nothing is said. */
export const noReporting: ReportSettings = { platform: null, reporters: null };

/** Reads `platform` and `reporters` of a file. Throws PROJECT_INVALID. */
export function readReporting({ root, invalid }: YamlFile): ReportSettings {
  const { platform, reporters } = root;
  if (reporters !== undefined && !(Array.isArray(reporters) && reporters.every((one) => typeof one === 'string'))) {
    throw invalid(['reporters'], 'must be a list of names');
  }
  return { platform: readPlatform(platform, invalid), reporters: (reporters as string[] | undefined) ?? null };
}

/** A name, or settings with a name; or as PACE writes it: `{ type: github }`, where `ci` says more than `type`. */
function readPlatform(value: unknown, invalid: Invalid): ReportSettings['platform'] {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return { name: value, settings: {} };
  const { name, ci, type, ...settings } = fieldsOf(value, ['platform'], undefined, invalid);
  const chosen = name ?? ci ?? type;
  if (typeof chosen !== 'string') throw invalid(['platform'], 'must name a platform, as in "platform: github"');
  return { name: chosen, settings };
}
