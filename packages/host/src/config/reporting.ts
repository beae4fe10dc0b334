import { durationMs } from '../runs/template/duration.ts';
import { fieldsOf, type Invalid, type YamlFile } from './yaml-file.ts';

/** How people are asked to review what a run has made. */
export interface ReviewSettings {
  /** The remote that its branch is pushed to first; null if it is not. */
  readonly push: string | null;
  /** How long the checks of the platform are waited for; null if they are not. */
  readonly checksMs: number | null;
}

/** Where a project is hosted. */
export interface PlatformSettings {
  readonly name: string;
  /** For the platform itself. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Null if nobody is asked. */
  readonly review: ReviewSettings | null;
}

/** What a project says of where it is hosted, and of who reports its runs. */
export interface ReportSettings {
  /** Null if nothing is said. */
  readonly platform: PlatformSettings | null;
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
function readPlatform(value: unknown, invalid: Invalid): PlatformSettings | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return { name: value, settings: {}, review: null };
  const { name, ci, type, review, ...settings } = fieldsOf(value, ['platform'], undefined, invalid);
  const chosen = name ?? ci ?? type;
  if (typeof chosen !== 'string') throw invalid(['platform'], 'must name a platform, as in "platform: github"');
  return { name: chosen, settings, review: readReview(review, invalid) };
}

/** `true`, or how. */
function readReview(value: unknown, invalid: Invalid): ReviewSettings | null {
  if (value === undefined || value === null || value === false) return null;
  const at = ['platform', 'review'];
  const { push, wait_for_checks } = value === true ? {} : fieldsOf(value, at, ['push', 'wait_for_checks'], invalid);
  if (push !== undefined && (typeof push !== 'string' || !/^[\w.-]+$/.test(push) || push.startsWith('-'))) {
    throw invalid([...at, 'push'], 'must be the name of a remote, as in "push: origin"');
  }
  const checksMs = wait_for_checks === undefined ? null : durationMs(String(wait_for_checks));
  if (checksMs === undefined) throw invalid([...at, 'wait_for_checks'], 'must be a duration, as in "30m"');
  return { push: (push as string | undefined) ?? null, checksMs };
}
