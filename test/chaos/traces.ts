import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderPrefix } from '../../packages/host/src/sandbox/launch/sweep.ts';

/** A process that has to do with a project. */
export interface Trace {
  readonly pid: number;
  readonly command: string;
}

/** Every live process that shows one of these texts in its command line, its environment or its working folder. */
export function processesWith(marks: readonly string[]): Trace[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const shown = [read(pid, 'cmdline'), read(pid, 'environ'), cwdOf(pid)].join('\n');
    const dead = / Z |^$/.test(read(pid, 'stat').replace(/^.*\)/s, ''));
    if (dead || !marks.some((mark) => shown.includes(mark))) return [];
    return [{ pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }];
  });
}

/** What the host itself runs for its plugins; everything else is a plugin's. */
export function isOfHost({ command }: Trace): boolean {
  return /\/(?:launcher|isolated)-main\.ts\b/.test(command);
}

/** The most memory that a process ever had, in MB; 0 if it is gone. */
export function peakMb(pid: number): number {
  return Number(/^VmHWM:\s*(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0) / 1024;
}

/** The folders that the host made for the scripts of a project, on disk and in memory. */
export function jobFolders(project: string): string[] {
  return [tmpdir(), '/dev/shm'].flatMap((dir) =>
    (existsSync(dir) ? readdirSync(dir) : [])
      .filter((name) => name.startsWith(folderPrefix(project)))
      .map((name) => join(dir, name)),
  );
}

/** The files below a folder that hold a text. */
export function filesWith(dir: string, text: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() && readFileSync(file).includes(text));
}

function read(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1');
  } catch {
    return '';
  }
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
