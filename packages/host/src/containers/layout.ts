import { existsSync } from 'node:fs';
import type { AgentCore } from 'patchbay-sdk';
import type { Job } from '../sandbox/job.ts';
import { coreFolder, sourcePlace } from './cores/place.ts';
import { gitPlace } from './git-place.ts';
import { isWithin, type Mount } from './mount-rules.ts';
import { ownPlaces, programPlaces, shown } from './visible.ts';

/** Where the folder of a workspace is in images, besides where it is outside. */
export const groupPlace = '/workspace/group';

/** What is known of a program besides its job. */
export interface Facts {
  readonly run_id: string;
  readonly turn_id: string;
  /** What the turn should know; it cannot be changed. */
  readonly bundle?: string;
  /** The core that plays, if it brings files along. */
  readonly core?: AgentCore;
  /** What it may see besides: skills, what the settings of its core name. */
  readonly visible?: readonly string[];
}

/** Whose mounts they are. */
export interface LayoutParts {
  readonly project: string;
  /** Null where the system of the host is used. */
  readonly image: string | null;
  /** Whether it works in a worktree of the project's repository, and so wants to see that. */
  readonly repoAccess: boolean;
  /** The PATH of the host. That of a job may be an agent's, which could name whatever it wants to see. */
  readonly path: string | undefined;
  /** Those that were asked for. */
  readonly configured: readonly Mount[];
}

/**
 * The mounts of a job, the outer ones first: what it can see, its workspace, and over that what it must not touch. Of what is
 * protected, only what would be seen is there at all.
 */
export function layoutOf(
  { project, image, repoAccess, path, configured }: LayoutParts,
  { bundle, core, visible = [] }: Facts,
  { cwd, readOnly = [], writable = [], hidden = [] }: Job,
): Mount[] {
  const workspace = { from: cwd, to: cwd, readOnly: false };
  const open = [
    ...(image === null ? programPlaces(path) : []),
    ...ownPlaces(),
    ...visible.map(shown),
    ...[repoAccess ? gitPlace(project) : undefined].flatMap((path) => (path === undefined ? [] : shown(path))),
    ...coreMounts(project, core),
    workspace,
    ...(image === null ? [] : [{ ...workspace, to: groupPlace }]),
    ...configured,
  ];
  const isSeen = (path: string) => open.some(({ from, to }) => from === to && isWithin(path, to));
  const guard = [
    ...readOnly.filter(isSeen).map(shown),
    ...writable.map((path) => ({ from: path, to: path, readOnly: false })),
    ...(bundle === undefined ? [] : [shown(bundle)]),
    ...hidden.filter((path) => existsSync(path)).map((path) => ({ from: '/dev/null', to: path, readOnly: true })),
  ];
  return ordered([...open, ...guard].filter(({ from }) => existsSync(from)));
}

function coreMounts(project: string, core: AgentCore | undefined): Mount[] {
  if (core === undefined) return [];
  const source = core.hostSourcePath == null ? [] : [{ ...shown(core.hostSourcePath), to: sourcePlace(core.name) }];
  return [shown(coreFolder(project, core.name)), ...source];
}

/** A mount covers what was mounted in its place before: outer ones come first, and of those of one place the last one counts. */
function ordered(mounts: readonly Mount[]): Mount[] {
  const last = new Map(mounts.map((mount) => [mount.to, mount]));
  return [...last.values()].sort((a, b) => depth(a.to) - depth(b.to));
}

function depth(path: string): number {
  return path.split('/').length;
}
