import type { Repository } from './repository.ts';

/** Where the turns of one run work. Plain data; found again by `openWorkspace` after a crash. */
export interface Workspace {
  /** Where a core works. Every path of a change is relative to it. */
  readonly dir: string;
  /**
   * `worktree`: a git worktree of its own; `folder`: the project folder itself, where that is not in a repository; `plain`: a
   * folder in the project that git has nothing to do with.
   */
  readonly kind: 'worktree' | 'folder' | 'plain';
  /** The branch that accepted work is committed to; null for folders and for the worktree of a single turn. */
  readonly branch: string | null;
  /** The commit it began with; null for folders. */
  readonly base: string | null;
  /** Root of the project. */
  readonly project: string;
  /** What the run keeps: `.patchbay/runs/<run_id>`. */
  readonly state: string;
  /** Root of the worktree; above `dir` where the project is a folder somewhere in its repository. */
  readonly root: string;
  /** The host's own git folder, by which it sees what changes; there is none for a plain one. */
  readonly mirror: string;
  readonly repository: Repository | null;
}
