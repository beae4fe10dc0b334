import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, normalize, resolve, sep } from 'node:path';
import { type ContainerSpec, PatchbayError } from 'patchbay-sdk';
import { stateDir } from '../config/state.ts';

/** A folder or file of the host, and where it is inside. */
export type Mount = ContainerSpec['mounts'][number];

/** What the host obeys in a project, beside its state. */
const obeyed = [
  ...['patchbay.yaml', 'patchbay.lock', 'agentxchain.json', '.agentxchain', 'pace/pace.config.yaml', 'config.toml'],
];
/** With what people prove who they are. */
const secrets = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.config/gh', '.netrc', '.npmrc'],
  ...['.git-credentials', '.password-store', '.pypirc', '.local/share/keyrings'],
];
/** By which the whole machine can be had. */
const machine = ['/etc/shadow', '/proc', '/sys', '/dev', '/run/docker.sock', '/var/run/docker.sock', '/run/podman'];
const taken = ['/proc', '/sys', '/dev'];

/**
 * The mounts that a project asks for, as they can be made: the source absolute and without links, what is relative being so
 * to the project. Throws MOUNT_REFUSED for a source that is not there, or is, holds or lies in what no agent may have.
 */
export function checkedMounts(project: string, wanted: readonly Mount[], home = homedir()): Mount[] {
  const protectedPaths = [
    stateDir(project),
    ...obeyed.map((name) => join(project, name)),
    ...secrets.map((name) => join(home, name)),
    ...machine,
  ].flatMap((path) => real(path) ?? []);
  return wanted.map(({ from, to, readOnly }) => {
    const source = sourceOf(project, from, home);
    const clash = protectedPaths.find((path) => isWithin(source, path) || isWithin(path, source));
    if (clash !== undefined) {
      const how =
        source === clash
          ? 'no agent may have it'
          : isWithin(source, clash)
            ? `it lies in ${clash}`
            : `it holds ${clash}`;
      throw refusal(from, how, 'Mount only the folder that the agent needs.');
    }
    return { from: source, to: targetOf(from, to), readOnly };
  });
}

function sourceOf(project: string, from: string, home: string): string {
  const path = from === '~' || from.startsWith('~/') ? join(home, from.slice(1)) : resolve(project, from);
  const found = real(path);
  if (found === undefined) throw refusal(from, `there is no ${path}`, 'Make it, or correct the path.');
  return found;
}

function targetOf(from: string, to: string): string {
  const target = normalize(to).replace(/\/+$/, '');
  if (!isAbsolute(to) || target === '') throw refusal(from, `"${to}" is no absolute path inside`, 'Write it as /data.');
  if (taken.some((folder) => isWithin(target, folder))) {
    throw refusal(from, `${target} is the system's own inside`, 'Mount it elsewhere.');
  }
  return target;
}

/** Whether a path is a folder, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function refusal(from: string, why: string, hint: string): PatchbayError {
  return new PatchbayError('MOUNT_REFUSED', `${from} cannot be mounted: ${why}`, { field: 'container.mounts', hint });
}
