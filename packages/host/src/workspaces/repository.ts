import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { workspaceDirty } from './failure.ts';
import { type GitSettings, git, gitFailed, tryGit } from './git.ts';

/** The git repository that a project is in. */
export interface Repository {
  /** The git folder that all its worktrees share. */
  readonly common: string;
  /** Where the project is in it: empty, or ending with a slash. */
  readonly prefix: string;
  readonly objectFormat: string;
  /** Settings of the user that decide which files count and what their modes mean. */
  readonly settings: GitSettings;
}

/** A repository as the project sees it. */
export interface Found {
  readonly repository: Repository;
  /** The git folder of the worktree that the project is in. */
  readonly gitDir: string;
  /** The commit that is checked out; null if there is none yet. */
  readonly head: string | null;
  /** All settings, by name. */
  readonly configured: GitSettings;
}

const heeded = ['core.excludesfile', 'core.filemode', 'core.ignorecase', 'core.precomposeunicode'];
const lineEnds = ['core.autocrlf', 'core.eol'];
const settings = ['patchbay.yaml', 'patchbay.lock', 'agentxchain.json', 'pace/pace.config.yaml'];
const ours = ['.patchbay', '.agentxchain', '.pace', ...settings];

/**
 * The repository that a project is in; undefined if it is in none, in a bare one, or in a folder of which the last
 * commit of the repository knows nothing. Rejects with WORKSPACE_FAILED if git does not want to say.
 */
export async function findRepository(project: string): Promise<Found | undefined> {
  const where = ['--is-inside-work-tree', '--git-common-dir', '--git-dir', '--show-object-format', '--show-prefix'];
  const args = ['rev-parse', '--path-format=absolute', ...where];
  const place = await tryGit(args, { cwd: project, userSettings: true });
  if (place.code !== 0) {
    if (/not a git repository/i.test(place.stderr)) return undefined;
    throw gitFailed(args, place.stderr);
  }
  const [inside, common = '', gitDir = '', objectFormat = '', prefix = ''] = place.stdout.split('\n');
  if (inside !== 'true') return undefined;
  // `:prefix` of a commit is its folder; the root of a commit is always there.
  const revision = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const head = await tryGit(revision, { cwd: project, gitDir });
  if (prefix !== '') {
    const known = await tryGit(['cat-file', '-e', `HEAD:${prefix}`], { cwd: project, gitDir });
    if (known.code !== 0) return undefined;
  }
  const configured = settingsIn(await git(['config', '--list', '--null'], { cwd: project, userSettings: true }));
  const settings = only(configured, heeded);
  return {
    repository: { common: realpathSync(common), prefix, objectFormat, settings },
    gitDir,
    head: head.code === 0 ? head.stdout.trim() : null,
    configured,
  };
}

/** The commit that a branch is at; undefined if there is no such branch. */
export async function tipOfBranch({ common }: Repository, branch: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
  const { code, stdout } = await tryGit(args, { cwd: common, gitDir: common });
  return code === 0 ? stdout.trim() : undefined;
}

/** Rejects with WORKSPACE_DIRTY, which names the files, if something in the repository is not committed. */
export async function refuseDirty(project: string, { repository, gitDir, configured }: Found): Promise<void> {
  const { prefix } = repository;
  const settings = { ...repository.settings, ...only(configured, lineEnds), ...withoutFilters(configured) };
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal', '--ignore-submodules=all'];
  const cwd = resolve(project, prefix.replaceAll(/[^/]+/g, '..'));
  const files = (await git(args, { cwd, gitDir, settings }))
    .split('\0')
    .map((line) => line.slice(3))
    .filter((path) => path !== '' && !ours.some((own) => `${path}/`.startsWith(`${prefix}${own}/`)));
  if (files.length === 0) return;
  const shown = files.slice(0, 10).join(', ') + (files.length > 10 ? ` and ${files.length - 10} more` : '');
  const hint = 'Commit them, or put them away with `git stash --include-untracked`: a run begins with the last commit.';
  throw workspaceDirty(`the repository has changes that are not committed: ${shown}`, project, hint);
}

function settingsIn(listed: string): GitSettings {
  const entries = listed.split('\0').map((entry): [string, string] => {
    const end = entry.indexOf('\n');
    // A name alone stands for true.
    return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
  });
  return Object.fromEntries(entries.filter(([name]) => name !== ''));
}

function only(settings: GitSettings, names: readonly string[]): GitSettings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
}

/** Git runs these programs on files it only looks at; there is no setting that turns all of them off. */
function withoutFilters(configured: GitSettings): GitSettings {
  const names = Object.keys(configured).filter((name) => /^filter\..*\.(?:clean|smudge|process|required)$/s.test(name));
  return Object.fromEntries(names.map((name) => [name, name.endsWith('.required') ? 'false' : '']));
}
