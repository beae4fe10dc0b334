import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import { lockFor, npmLocks, type PackageFile, packagesOf } from '../../workspace/packages.ts';
import { folderOf } from '../../workspace/paths.ts';
import { lockedBy } from './npm-locks.ts';
import { missing, told } from './told.ts';

/** Lock files of npm, yarn and pnpm. */
export function* npm(workspace: Workspace): Generator<Concern> {
  for (const file of packagesOf(workspace)) {
    const wanted = Object.values(file.dependencies).flatMap(Object.entries);
    if (wanted.length === 0) continue;
    const lock = lockFor(workspace, file.path, npmLocks);
    if (lock === null) yield missing(file.path);
    else yield* stale(workspace, file, lock);
  }
}

function* stale(workspace: Workspace, file: PackageFile, lock: string): Generator<Concern> {
  const text = workspace.text(lock);
  const locked = text === null ? null : lockedBy(lock, text, folderOf(file.path));
  if (locked === null) return;
  for (const [name, range] of Object.values(file.dependencies).flatMap(Object.entries)) {
    const says = locked(name, range);
    const line = file.text.slice(0, Math.max(0, file.text.indexOf(`"${name}"`))).split('\n').length;
    if (says !== null)
      yield { ...told(file.path, line, `${lock} is stale: ${says}; install and commit it`), also: [lock] };
  }
}
