import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Job } from '../job.ts';
import type { Refusal } from '../wire.ts';

/** Thrown where a job cannot be started, before anything of it runs. */
export class CannotStart extends Error {
  readonly why: Refusal;

  constructor(why: Refusal) {
    super(why.message);
    this.why = why;
  }
}

/** What execvp takes where there is no PATH. */
const usualPath = '/usr/bin:/bin';
/** As much of the first line as Linux looks at. */
const lineBytes = 256;

/** Files that were in order, as they were then: to look at them again would take longer than all else before a start. */
const inOrder = new Map<string, string>();
const mostInOrder = 1000;

/** What is wrong with the program of a job that could not be started though nothing was wrong when it was looked at last. */
export function faultOf(job: Job): CannotStart | undefined {
  inOrder.clear();
  try {
    programOf(job);
    return undefined;
  } catch (error) {
    if (error instanceof CannotStart) return error;
    throw error;
  }
}

/** The program of a job, as an absolute path. Throws CannotStart with what is wrong with it and what to do. */
export function programOf({ argv, cwd, env }: Job): string {
  if (!isFolder(cwd))
    throw refusal(cwd, `there is no folder ${cwd} to run in`, 'Make the folder, or correct its path.');
  const [name = ''] = argv;
  const path = env['PATH'] ?? usualPath;
  if (name.includes('/')) {
    const file = resolve(cwd, name);
    checkFile(file, path);
    return file;
  }
  const found = onPath(name, path, cwd);
  if (found !== undefined) return found;
  throw refusal(
    name,
    `there is no command "${name}" on the PATH`,
    `Install ${name}, or have the manifest name a file.`,
  );
}

function checkFile(file: string, path: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw refusal(file, `there is no file ${file}`, 'Install the plugin again, or correct the path in its manifest.');
  }
  if (!stat.isFile()) throw refusal(file, `${file} is not a file`, 'Correct the path in the manifest.');
  // Changes with its content, its run bit, its owner, and with what PATH its interpreter is looked for.
  const state = [stat.dev, stat.ino, stat.ctimeMs, path].join(' ');
  if (inOrder.get(file) === state) return;
  if (!isRunnable(file)) throw refusal(file, `${file} has no run bit`, `Run: chmod +x '${file}'`);
  const start = startOf(file);
  if (start.startsWith('#!')) checkFirstLine(file, start, path);
  else if (!isBinary(start)) {
    const marked = start.startsWith('\u00ef\u00bb\u00bf');
    const what = marked ? 'starts with a byte order mark' : 'is no program: its first line names no interpreter';
    const hint = marked ? 'Save it as UTF-8 without a mark.' : 'Begin it with a line such as #!/bin/sh';
    throw refusal(file, `${file} ${what}`, hint);
  }
  if (inOrder.size >= mostInOrder) inOrder.clear();
  inOrder.set(file, state);
}

function checkFirstLine(file: string, start: string, path: string): void {
  const [line = ''] = start.slice(2).split('\n');
  if (line.includes('\r')) {
    const what = `the first line of ${file} ends in CR LF, which becomes part of the interpreter's name`;
    throw refusal(file, what, `Convert the file to LF line ends: sed -i 's/\\r$//' '${file}'`);
  }
  const [interpreter = '', ...rest] = line.trim().split(/\s+/);
  if (!isRunnable(interpreter)) throw missing(file, interpreter);
  if (!interpreter.endsWith('/env')) return;
  const words = rest[0] === '-S' ? rest.slice(1) : rest;
  const name = words.find((word) => !word.includes('='));
  // What an option of env means is between it and env.
  if (name === undefined || name.startsWith('-') || name.includes('/')) return;
  if (onPath(name, path, '/') === undefined) throw missing(file, name);
}

function missing(file: string, interpreter: string): CannotStart {
  const what = `${file} wants the interpreter "${interpreter}", which is not here`;
  return refusal(file, what, `Install ${interpreter}, or correct the first line of the file.`);
}

function onPath(name: string, path: string, cwd: string): string | undefined {
  const files = path.split(delimiter).map((dir) => resolve(cwd, join(dir, name)));
  return files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() && isRunnable(file));
}

function startOf(file: string): string {
  try {
    const handle = openSync(file, 'r');
    try {
      const buffer = Buffer.alloc(lineBytes);
      return buffer.toString('latin1', 0, readSync(handle, buffer));
    } finally {
      closeSync(handle);
    }
  } catch {
    throw refusal(file, `${file} cannot be read`, `Run: chmod +r '${file}'`);
  }
}

/** ELF, Mach-O of either width and order, and Mach-O for several processors. */
const binaries = [
  '\x7fELF',
  '\xfe\xed\xfa\xce',
  '\xfe\xed\xfa\xcf',
  '\xce\xfa\xed\xfe',
  '\xcf\xfa\xed\xfe',
  '\xca\xfe\xba\xbe',
];

function isBinary(start: string): boolean {
  return binaries.some((magic) => start.startsWith(magic));
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function refusal(file: string, message: string, hint: string): CannotStart {
  return new CannotStart({ file, message, hint });
}
