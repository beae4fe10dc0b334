import { randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { PatchbayError } from 'patchbay-sdk';
import { apiTokenFile, stateDir } from '../config/state.ts';
import { writeWhole } from '../workspaces/index.ts';

const tokenBytes = 32;

/**
 * The token of the API, made at the first call. One that others can read or write is made anew: a repository that brings
 * one along cannot have made it private. Throws PROJECT_WRITE.
 */
export function apiToken(project: string): string {
  const file = apiTokenFile(project);
  const kept = readPrivate(file);
  if (kept !== undefined) return kept;
  const token = randomBytes(tokenBytes).toString('base64url');
  try {
    mkdirSync(stateDir(project), { recursive: true, mode: 0o700 });
    rmSync(`${file}.next`, { force: true });
    writeWhole(file, `${token}\n`);
  } catch (cause) {
    throw new PatchbayError('PROJECT_WRITE', `the token of the API cannot be written to ${file}`, { file, cause });
  }
  return token;
}

/** Whether what a client sent is the token; takes as long whatever it is. */
export function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function readPrivate(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    const isOurs = stat.isFile() && (stat.mode & 0o077) === 0 && stat.uid === (process.getuid?.() ?? stat.uid);
    const token = isOurs ? readFileSync(fd, 'utf8').trim() : '';
    return Buffer.from(token, 'base64url').length === tokenBytes ? token : undefined;
  } finally {
    closeSync(fd);
  }
}
