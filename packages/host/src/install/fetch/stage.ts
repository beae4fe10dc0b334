import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, PatchbayError } from 'patchbay-sdk';
import { stageDirectory } from './directory.ts';
import { StagingFolder } from './folder.ts';
import { type Limits, Policy } from './policy.ts';
import { type Source, sourceText } from './source.ts';

/** How to bring a package here. */
export interface StageOptions {
  /** The folder that paths in a lock file are relative to. Without it they are absolute. */
  readonly base?: string | undefined;
  /** The folder with the packages that come with Patchbay, each in a folder of its short name. */
  readonly builtins?: string | undefined;
  /** The URL of the npm registry. @default npm's public one */
  readonly registry?: string | undefined;
  /** For the network. @default 30000 for a registry, 120000 for git */
  readonly timeoutMs?: number | undefined;
  /** Where to keep what is needed meanwhile. @default the system's folder for temporary files */
  readonly temp?: string | undefined;
  /** Lower limits than the default ones. */
  readonly limits?: Partial<Limits> | undefined;
}

/** What a source stood for. */
export interface Resolved {
  /** A source that is exactly this one: a version instead of a range, a commit instead of a branch. */
  readonly exact: string;
  /** The version in the registry. */
  readonly version?: string;
  /** The commit in the git repository. */
  readonly commit?: string;
  /** The integrity of the tarball, as the registry announces it. */
  readonly integrity?: string;
}

/** A package that was brought here. */
export interface Staged {
  /** The folder it is in. */
  readonly dir: string;
  /** The source as a lock file should name it; `parseSource` understands it. Never contains a secret. */
  readonly source: string;
  readonly resolved: Resolved;
}

/**
 * Brings a package into `into`, which must be empty or not exist yet. Only plain files (mode 0644, or 0755 if the package
 * says it can be run) and folders come to be there, nothing outside is touched, and nothing of the package is run.
 *
 * Throws a PatchbayError that names the source and the entry, and then `into` is gone: SOURCE_INVALID (does not exist,
 * no package, damaged), PACKAGE_UNSAFE (contains something refused, or too much), SOURCE_UNAVAILABLE (registry,
 * network, git), PROJECT_WRITE (the disk).
 */
export async function stage(source: Source, into: string, options: StageOptions = {}): Promise<Staged> {
  const text = sourceText(source, options.base);
  claim(into);
  const folder = new StagingFolder(into, new Policy('path' in source ? source.path : text, options.limits));
  try {
    return { dir: into, source: text, resolved: await bring(source, folder, text, options) };
  } catch (error) {
    remove(into);
    if (error instanceof PatchbayError) throw error;
    throw new PatchbayError('INTERNAL', `${text}: ${messageOf(error)}`, { cause: error });
  }
}

/** Libraries are loaded by those who need them: copying a folder should not wait for an HTTP client. */
async function bring(source: Source, folder: StagingFolder, text: string, options: StageOptions): Promise<Resolved> {
  switch (source.kind) {
    case 'directory':
      await stageDirectory(source.path, folder);
      return { exact: text };
    case 'builtin': {
      const { builtins } = options;
      if (builtins === undefined) throw folder.policy.invalid('the packages that come with Patchbay are not here');
      await stageDirectory(join(builtins, source.name), folder);
      return { exact: text };
    }
    case 'tar': {
      const { stageTar } = await import('./tar.ts');
      await stageTar(source.path, folder);
      return { exact: text };
    }
    case 'zip': {
      const { stageZip } = await import('./zip.ts');
      await stageZip(source.path, folder);
      return { exact: text };
    }
    case 'npm': {
      const { stageNpm } = await import('./npm.ts');
      const resolved = await stageNpm(source, folder, options);
      return { exact: sourceText({ ...source, range: resolved.version }), ...resolved };
    }
    case 'git': {
      const { stageGit } = await import('./git.ts');
      const resolved = await stageGit(source, folder, options);
      return { exact: sourceText({ ...source, committish: resolved.commit }), ...resolved };
    }
  }
}

function claim(into: string): void {
  let found: string[];
  try {
    mkdirSync(into, { recursive: true, mode: 0o755 });
    found = readdirSync(into);
  } catch (cause) {
    throw new PatchbayError('PROJECT_WRITE', `cannot make ${into}: ${messageOf(cause)}`, { file: into, cause });
  }
  if (found.length > 0) throw new PatchbayError('INTERNAL', `${into} is not empty`, { file: into });
}

function remove(into: string): void {
  try {
    rmSync(into, { recursive: true, force: true });
  } catch {
    // What happened before is what to report.
  }
}
