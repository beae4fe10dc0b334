import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Change, type OpenWorkspace, openWorkspace, type Workspace } from '../../src/workspaces/index.ts';

/** A folder of its own, until the test is over. */
export function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'patchbay-work-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Writes files, by path. */
export function put(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}

/** What is in a file; undefined if it is not there. */
export function read(dir: string, path: string): string | undefined {
  return lstatSync(join(dir, path), { throwIfNoEntry: false }) && readFileSync(join(dir, path), 'utf8');
}

/** Calls git as a user does. */
export function git(cwd: string, ...args: string[]): string {
  const identity = [
    '-c',
    'user.name=tester',
    '-c',
    'user.email=tester@example.com',
    '-c',
    'protocol.file.allow=always',
  ];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** A project in a git repository with one commit. */
export function repository(
  files: Readonly<Record<string, string>> = { 'src/a.ts': 'a\n', 'README.md': 'hello\n' },
): string {
  const dir = join(scratch(), 'project');
  mkdirSync(dir);
  git(dir, 'init', '--quiet', '--initial-branch=main');
  put(dir, files);
  commitAll(dir);
  return dir;
}

/** Commits all that is there; gives the commit. */
export function commitAll(dir: string, message = 'change'): string {
  git(dir, 'add', '--all');
  git(dir, 'commit', '--quiet', '--allow-empty', `--message=${message}`);
  return git(dir, 'rev-parse', 'HEAD');
}

/** Opens the workspace of run `run-1`. */
export function open(project: string, more: Partial<OpenWorkspace> = {}): Promise<Workspace> {
  const run_id = more.run_id ?? 'run-1';
  return openWorkspace({ project, run_id, state: join('.patchbay', 'runs', run_id), ...more });
}

/** Changes in short: `added src/b.ts`, with what is special about them. */
export function told(changes: readonly Change[]): string[] {
  return changes.map(({ kind, path, from, special }) => {
    const name = from === null ? path : `${from} -> ${path}`;
    return special === null ? `${kind} ${name}` : `${kind} ${name} (${special})`;
  });
}

export const author = { name: 'dev', email: 'dev@example.com' };
