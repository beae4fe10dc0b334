import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { Lines } from '../workspace/lines.ts';
import { lockFor, npmLocks, packagesOf } from '../workspace/packages.ts';

const check = 'dependencies';
const pythonLocks = ['poetry.lock', 'uv.lock', 'Pipfile.lock', 'pdm.lock', 'requirements.lock'];

/** Dependencies that nobody can audit: no lock file says which they are, or their range lets anything in. */
export function dependenciesOf(workspace: Workspace): Concern[] {
  return [...npm(workspace), ...go(workspace), ...cargo(workspace), ...python(workspace)];
}

function* npm(workspace: Workspace): Generator<Concern> {
  for (const { path, text, dependencies } of packagesOf(workspace)) {
    const ranges = Object.entries({ ...dependencies.devDependencies, ...dependencies.dependencies });
    const foreign = ranges.filter(([, range]) => !/^(?:workspace|file|link|portal):/.test(range));
    const lines = new Lines(text);
    const lineOf = (name: string) => lines.at(Math.max(0, text.indexOf(`"${name}"`)));
    for (const [name, range] of foreign) {
      if (/^(?:\*|latest|x|)$/.test(range)) yield told(path, lineOf(name), `${name} may be any version; name a range`);
      else if (/^(?:git\+)?http:/.test(range)) yield told(path, lineOf(name), `${name} comes over plain HTTP`, 'FAIL');
    }
    if (foreign.length > 0 && lockFor(workspace, path, npmLocks) === null)
      yield told(path, 1, 'there is no lock file: nobody can audit what gets installed');
  }
}

function* go(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)go\.mod$/.test(one))) {
    const needs = /^\s*(?:require\s+)?[\w.-]+\.[\w.-]+\/\S+\s+v\d/m.test(workspace.text(path) ?? '');
    if (needs && !workspace.has(path.replace(/mod$/, 'sum')))
      yield told(path, 1, 'there is no go.sum: nobody can audit what gets installed');
  }
}

/** A library leaves the choice of versions to whoever uses it; a program does not. */
function* cargo(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)Cargo\.toml$/.test(one))) {
    const needs = /^\[dependencies\]\s*\n\s*[\w-]+\s*=/m.test(workspace.text(path) ?? '');
    const isProgram = workspace.has(path.replace(/Cargo\.toml$/, 'src/main.rs'));
    if (needs && isProgram && lockFor(workspace, path, ['Cargo.lock']) === null)
      yield told(path, 1, 'there is no Cargo.lock: nobody can audit what gets installed');
  }
}

function* python(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter(
    (one) => /(?:^|\/)requirements\.txt$/.test(one) && !/(?:^|\/)(?:docs?|tests?|testing)\//.test(one),
  )) {
    if (lockFor(workspace, path, pythonLocks) !== null) continue;
    for (const [at, line] of (workspace.text(path) ?? '').split('\n').entries()) {
      const name = /^\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:#.*)?$/.exec(line)?.[1];
      if (name !== undefined) yield told(path, at + 1, `${name} may be any version; name one`);
    }
  }
}

function told(file: string, line: number, says: string, weight: Concern['weight'] = 'ADVISORY'): Concern {
  return { check, weight, file, line, says };
}
