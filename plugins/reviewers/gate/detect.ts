import type { Workspace } from '../workspace/files.ts';
import { makefileIn } from '../workspace/makefile.ts';
import { packageAt } from '../workspace/packages.ts';
import { folderOf } from '../workspace/paths.ts';
import { commandsOf } from '../workspace/shell.ts';

/** How the tests of a workspace are run, to go by its files; none if nothing tells. */
export function detected(workspace: Workspace): string[] {
  const test = testScript(workspace);
  if (test !== undefined && !/no test specified/.test(test)) return ['npm test'];
  if (makefileIn(workspace, '')?.targets.has('test')) return ['make test'];
  return [
    ...python(workspace),
    ...(workspace.has('Cargo.toml') ? ['cargo test'] : []),
    ...(workspace.has('go.mod') ? ['go test ./...'] : []),
  ];
}

/** Whether a command is a test script of npm that only talks. */
export function isIdle(command: string, workspace: Workspace): boolean {
  if (!/^(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:t|tst|test)$/.test(command)) return false;
  const script = testScript(workspace);
  return script !== undefined && commandsOf(script).every((one) => /^(?:echo\b|printf\b|true$|:$|exit\s+0$)/.test(one));
}

function testScript(workspace: Workspace): string | undefined {
  return packageAt(workspace, 'package.json')?.scripts['test'];
}

function python(workspace: Workspace): string[] {
  const tests = workspace.paths.filter((path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path));
  const isConfigured = ['pytest.ini', 'conftest.py', 'tox.ini'].some((name) => workspace.has(name));
  if (tests.length === 0) return isConfigured ? [pytest] : [];
  return [isConfigured || !isUnittest(tests, workspace) ? pytest : unittest(tests, workspace)];
}

const pytest = 'python3 -m pytest -q';

/** Whether tests are written for what comes with Python, and nothing tells that pytest is to be there. */
function isUnittest(tests: readonly string[], workspace: Workspace): boolean {
  const told = workspace.paths.filter((path) =>
    /^(?:pyproject\.toml|setup\.cfg|Pipfile|requirements[^/]*\.txt)$/.test(path),
  );
  if ([...tests, ...told].some((path) => /\bpytest\b/.test(workspace.text(path) ?? ''))) return false;
  return tests.some((path) => /^\s*(?:import|from)\s+unittest\b/m.test(workspace.text(path) ?? ''));
}

function unittest(tests: readonly string[], workspace: Workspace): string {
  const folder = folderOf(tests[0] ?? '');
  if (folder === '' || workspace.has(`${folder}/__init__.py`)) return 'python3 -m unittest';
  // The command goes to a shell: a folder with an odd name is left to pytest, which finds it by itself.
  return /^[\w./-]+$/.test(folder) ? `python3 -m unittest discover -s ${folder}` : pytest;
}
