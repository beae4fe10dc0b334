import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** A daemon that does not answer within this is not there. */
const timeoutMs = 8_000;
const mostBytes = 4 * 1024 * 1024;

/** What a program said. */
export interface Said {
  /** Null if it could not be run, or was ended. */
  readonly exit: number | null;
  readonly stdout: string;
  /** What is wrong, in one line; empty if nothing is. */
  readonly problem: string;
}

/** Where a program is on the PATH of this process. */
export function find(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Has a program say something. Never rejects, and never takes long. */
export function ask(program: string, args: readonly string[], ms = timeoutMs): Promise<Said> {
  const options = { timeout: ms, killSignal: 'SIGKILL', maxBuffer: mostBytes } as const;
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ exit: 0, stdout, problem: '' });
      if (error.killed) return resolve({ exit: null, stdout, problem: `did not answer within ${ms / 1000} s` });
      const said = stderr.trim().split('\n').at(-1) || error.message;
      resolve({ exit: typeof error.code === 'number' ? error.code : null, stdout, problem: said });
    });
    child.stdin?.end();
  });
}
