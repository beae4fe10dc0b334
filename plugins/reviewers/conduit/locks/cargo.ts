import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import { lockFor } from '../../workspace/packages.ts';
import { missing, told } from './told.ts';

const needs = /^\[dependencies\]\s*\n\s*[\w-]+\s*=/m;

/** The lock files of Cargo. */
export function* cargo(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)Cargo\.toml$/.test(one))) {
    const lock = lockFor(workspace, path, ['Cargo.lock']);
    const known = lock === null ? null : workspace.text(lock);
    if (known === null) {
      // A library leaves the choice of versions to whoever uses it; a program does not.
      if (workspace.has(path.replace(/Cargo\.toml$/, 'src/main.rs')) && needs.test(workspace.text(path) ?? ''))
        yield missing(path, 'Cargo.lock');
      continue;
    }
    let isTable = false;
    for (const [at, line] of (workspace.text(path) ?? '').split('\n').entries()) {
      if (/^\s*\[/.test(line)) isTable = /^\s*\[(?:dev-|build-)?dependencies\]/.test(line);
      const [, name, rest = ''] = (isTable && /^\s*([\w-]+)\s*=(.*)$/.exec(line)) || [];
      const real = /\bpackage\s*=\s*"([^"]+)"/.exec(rest)?.[1] ?? name;
      if (real !== undefined && !known.includes(`name = "${real}"`))
        yield told(path, at + 1, `${lock} is stale: it does not know ${real}`);
    }
  }
}
