import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { stageDirectory } from './directory.ts';
import type { StagingFolder } from './folder.ts';
import { type GitOptions, type GitResult, git } from './git-process.ts';
import { type GitSource, gitText, withoutSecrets } from './git-url.ts';
import { Policy } from './policy.ts';

/** What to know for fetching from git. */
export interface GitStageOptions {
  /** @default 120000 */
  readonly timeoutMs?: number | undefined;
  /** Where the repository is kept meanwhile. @default the system's folder for temporary files */
  readonly temp?: string | undefined;
}

/** The commit that a git source stood for. */
export interface ResolvedGit {
  readonly commit: string;
}

/**
 * Fetches one commit of a git repository and copies its files. Nothing of the repository is run: no hook, no filter, no
 * script of its package; submodules are refused. (pacote would pack it as npm does, which leaves files out.)
 */
export async function stageGit(
  source: GitSource,
  folder: StagingFolder,
  { timeoutMs = 120_000, temp = tmpdir() }: GitStageOptions,
): Promise<ResolvedGit> {
  const dir = await mkdtemp(join(temp, 'patchbay-git-'));
  const abort = new AbortController();
  const stop = (error: PatchbayError) => abort.abort(error);
  const clone = new Clone(source, folder.policy, { cwd: dir, signal: abort.signal });
  const timer = setTimeout(() => stop(clone.unavailable(`git took longer than ${timeoutMs / 1000} s`)), timeoutMs);
  const { bytes } = folder.policy.limits;
  const watch = setInterval(async () => {
    if ((await packedBytes(dir)) > bytes) stop(folder.policy.refusal(`the repository is larger than ${bytes} bytes`));
  }, 100);
  try {
    const commit = await clone.fetch();
    await clone.check(commit);
    await clone.run('checkout', '--quiet', '--detach', commit);
    await stageDirectory(dir, folder);
    return { commit };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

class Clone {
  readonly #source: GitSource;
  readonly #policy: Policy;
  readonly #options: GitOptions;

  constructor(source: GitSource, policy: Policy, options: GitOptions) {
    this.#source = source;
    this.#policy = policy;
    this.#options = options;
  }

  /** Fetches the commit that is asked for, alone if the server lets us, and gives its full name. */
  async fetch(): Promise<string> {
    const { url, protocol, committish = 'HEAD' } = this.#source;
    if (protocol === 'file' && !existsSync(fileURLToPath(url))) throw this.#policy.invalid('does not exist');
    await this.run('init', '--quiet', '--template=');
    const alone = await this.#download('--depth=1', '--', url, committish);
    if (alone.ok) return this.#commit('FETCH_HEAD');
    // Part of the name of a commit, or one that is no branch's last: it can only be found among all of them.
    if (!/^[0-9a-f]{4,64}$/.test(committish)) throw this.#failed(alone);
    const all = await this.#download('--', url, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*');
    if (!all.ok) throw this.#failed(all);
    return this.#commit(committish);
  }

  /** Asks the policy about all that the commit holds: before a checkout writes it, and could mix up names. */
  async check(commit: string): Promise<void> {
    const policy = new Policy(gitText(this.#source), this.#policy.limits);
    const listing = await this.#git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit], this.#options);
    if (listing.tooMuch) throw policy.refusal(`the package has more than ${policy.limits.entries} entries`);
    if (!listing.ok) throw this.unavailable(listing.problem);
    for (const line of listing.stdout.split('\0')) {
      const [, kind, size, name] = /^\d+ (\w+) \S+ +(\d+|-)\t(.*)$/s.exec(line) ?? [];
      if (name === undefined) continue;
      if (kind !== 'blob') throw policy.refusal('it is a submodule', name);
      policy.file(name, Number(size));
    }
  }

  /** Runs git on what is here already. */
  async run(...args: string[]): Promise<GitResult> {
    const result = await this.#git(args, this.#options);
    if (!result.ok) throw this.unavailable(result.problem);
    return result;
  }

  unavailable(why: string, cause?: unknown, hint?: string): PatchbayError {
    const message = `${gitText(this.#source)}: ${withoutSecrets(why)}`;
    return new PatchbayError('SOURCE_UNAVAILABLE', message, { cause, ...(hint === undefined ? {} : { hint }) });
  }

  #download(...args: string[]): Promise<GitResult> {
    // Only the protocol that was asked for; but users may have git take ssh for https.
    const protocols = this.#source.protocol === 'file' ? 'file' : 'https:ssh';
    const options = { ...this.#options, protocols };
    return this.#git(['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', ...args], options);
  }

  async #commit(name: string): Promise<string> {
    const result = await this.#git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], this.#options);
    if (!result.ok) throw this.#policy.invalid('has no such branch, tag or commit');
    return result.stdout.trim();
  }

  #failed({ problem }: GitResult): PatchbayError {
    if (/couldn't find remote ref/.test(problem)) return this.#policy.invalid('has no such branch, tag or commit');
    if (/does not appear to be a git repository/.test(problem)) return this.#policy.invalid('is not a git repository');
    return this.unavailable(problem);
  }

  async #git(args: readonly string[], options: GitOptions): Promise<GitResult> {
    try {
      return await git(args, options);
    } catch (error) {
      if (error instanceof PatchbayError) throw error;
      throw this.unavailable(`git cannot be run: ${messageOf(error)}`, error, 'Install git, or use another source.');
    }
  }
}

async function packedBytes(dir: string): Promise<number> {
  try {
    const packs = join(dir, '.git', 'objects', 'pack');
    const names = await readdir(packs);
    const stats = await Promise.all(names.map((name) => stat(join(packs, name))));
    return stats.reduce((sum, { size }) => sum + size, 0);
  } catch {
    return 0; // Nothing there yet, or a file was renamed just now: it is looked at again.
  }
}
