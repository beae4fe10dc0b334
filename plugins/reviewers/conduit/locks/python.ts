import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import { lockFor, objectOf } from '../../workspace/packages.ts';
import { record } from '../../workspace/yaml-file.ts';
import { type Wanted, wantedBy } from './pyproject.ts';
import { missing, told } from './told.ts';

/** The lock files of uv, Poetry and PDM. */
export function* pyproject(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)pyproject\.toml$/.test(one))) {
    const text = workspace.text(path) ?? '';
    const wanted = wantedBy(text);
    const lock = lockFor(workspace, path, ['uv.lock', 'poetry.lock', 'pdm.lock']);
    if (lock !== null) {
      const names = [...(workspace.text(lock) ?? '').matchAll(/^name = "([^"\n]+)"/gm)].map(([, name = '']) => name);
      yield* stale(path, lock, wanted, names);
    } else if (wanted.length > 0 && /^\[tool\.(?:poetry|uv|pdm)[\].]/m.test(text)) yield missing(path);
    // Without any of them it may be a library, which leaves the choice of versions to whoever uses it.
  }
}

/** The lock files of Pipenv. */
export function* pipenv(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)Pipfile$/.test(one))) {
    const wanted = wantedBy(workspace.text(path) ?? '');
    const lock = `${path}.lock`;
    const known = objectOf(workspace.text(lock) ?? '');
    if (known !== null) {
      const names = ['default', 'develop'].flatMap((kind) => Object.keys(record(known[kind])));
      yield* stale(path, lock, wanted, names);
    } else if (wanted.length > 0) yield missing(path, 'Pipfile.lock');
  }
}

function* stale(path: string, lock: string, wanted: readonly Wanted[], locked: readonly string[]): Generator<Concern> {
  const known = new Set(locked.map(normal));
  for (const { name, line } of wanted)
    if (!known.has(normal(name)))
      yield { ...told(path, line, `${lock} is stale: it does not know ${name}`), also: [lock] };
}

/** Names that differ only in case and in what stands between their parts are one. */
function normal(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
