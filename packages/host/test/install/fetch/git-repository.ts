import { execFileSync } from 'node:child_process';
import { type Item, put, scratch } from './scratch.ts';

/** A git repository on this machine, until the test is over. */
export class Repository {
  readonly dir = scratch();

  constructor(items: readonly Item[]) {
    this.git('init', '--quiet', '--initial-branch=main');
    this.commit(items);
  }

  /** As a source. */
  get url(): string {
    return `git+file://${this.dir}`;
  }

  /** Adds these files, commits, and gives the name of the commit. */
  commit(items: readonly Item[]): string {
    put(this.dir, items);
    this.git('add', '--all', '--force');
    this.git('commit', '--quiet', '--allow-empty', '--message=change');
    return this.git('rev-parse', 'HEAD');
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.com'];
    return execFileSync('git', [...identity, ...args], { cwd: this.dir, encoding: 'utf8' }).trim();
  }
}
