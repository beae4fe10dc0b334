import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import { messageOf } from 'patchbay-sdk';
import type { Scope } from './scope.ts';

const mostBytes = 4 * 1024 * 1024;
const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The text of a file, or the lines of it that are wanted (the first is 1). Throws what the agent is told if it may not be read. */
export function readText(scope: Scope, path: string, line: number | null, limit: number | null): string {
  const file = scope.readable(path);
  if (file === undefined) throw refused(`${path} is outside of the workspace`);
  const text = told(path, () => opened(file, O_RDONLY | O_NOFOLLOW, contentOf));
  if (line === null && limit === null) return text;
  const start = Math.max(0, (line ?? 1) - 1);
  return text
    .split('\n')
    .slice(start, limit === null ? undefined : start + limit)
    .join('\n');
}

/** Writes a file, with the folders it is in. Throws what the agent is told if it may not be written, which has no `file`. */
export function writeText(file: string | undefined, path: string, text: string): void {
  if (file === undefined) throw refused(`${path} is outside of what the role may change`);
  told(path, () => {
    mkdirSync(dirname(file), { recursive: true });
    opened(file, O_WRONLY | O_CREAT | O_NOFOLLOW, (fd) => {
      ftruncateSync(fd);
      writeFileSync(fd, text);
    });
  });
}

function contentOf(fd: number): string {
  const { size } = fstatSync(fd);
  if (size > mostBytes) throw new Error(`has ${size} bytes, at most ${mostBytes} are read`);
  return readFileSync(fd, 'utf8');
}

/** Does something with an open file. Throws if it is something else: a pipe in the workspace would hold up the whole host. */
function opened<T>(file: string, flags: number, action: (fd: number) => T): T {
  const fd = openSync(file, flags | O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('is no file');
    return action(fd);
  } finally {
    closeSync(fd);
  }
}

function told<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing ? RequestError.resourceNotFound(path) : refused(`${path}: ${messageOf(error)}`);
  }
}

function refused(why: string): RequestError {
  return RequestError.invalidParams({ reason: why }, why);
}
