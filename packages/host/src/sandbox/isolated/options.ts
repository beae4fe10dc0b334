import type { Dialect, HandlerOptions } from 'patchbay-sdk';
import type { PaceEntry } from '../../dialects/pace/entry.ts';

/** One line of a plugin's log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields?: Record<string, unknown>;
}

/** What a plugin's process may use. */
export interface Limits {
  /** Its JavaScript heap; buffers and the like may take about as much again, not more (on Linux). @default 256 */
  readonly memoryMb?: number;
  /** It is stopped when it has not been called for so long, unless it has deferred or given out something. @default 60_000 */
  readonly idleMs?: number;
  /** Within which its module must be loaded. @default 10_000, which is also the most */
  readonly startMs?: number;
  /** The longest answer. @default 4 MiB */
  readonly answerBytes?: number;
}

/** An isolated plugin: where it is, what it may do, who hears of it. */
export interface IsolatedOptions {
  readonly name: string;
  /** The file that exports the plugin, absolute. */
  readonly module: string;
  /** Under which name; undefined for the usual ones. */
  readonly export?: string | undefined;
  /** Of a plugin that does not say it itself. */
  readonly version?: string | undefined;
  /** What of its modules is the plugin, if it is one of PACE. */
  readonly pace?: PaceEntry;
  /** The plugin's folder: it may read all of it. */
  readonly dir: string;
  /** The project: working directory, and what paths in grants are relative to. */
  readonly project: string;
  /** As the operator wrote it; the plugin's own schema checks it. */
  readonly config: unknown;
  /** `read:PATH`, `write:PATH`, `exec:CMD`, `net:HOST` count here. */
  readonly grants: readonly string[];
  /** Variables it is granted, beside PATH, HOME, LANG, TZ and TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  /** Hears what it logs and prints. */
  readonly log: (line: LogLine) => void;
  readonly limits?: Limits;
  /** Told of each process group that is started, for somebody who ends it should the host die. */
  readonly adopt?: (pid: number) => void;
  /** Told when it has ended. */
  readonly release?: (pid: number) => void;
  /** `off` does without a namespace where there could be one. @default 'auto' */
  readonly namespace?: 'auto' | 'off';
}

/** What a plugin is, as its own process tells. Plain JSON: may be kept, and used without starting it. */
export interface Description {
  readonly name: string;
  readonly version: string;
  readonly dialect?: Dialect;
  readonly handlers: readonly DescribedHandler[];
  /** What is not wrong but will not do what the author thinks. */
  readonly warnings?: readonly string[];
}

/** One handler or wrapper, by its place in the plugin. */
export interface DescribedHandler {
  readonly hook: string;
  readonly index: number;
  readonly wraps: boolean;
  readonly options: HandlerOptions;
}

/** What the host tells a plugin's process first of all. */
export interface LoadParams extends Pick<IsolatedOptions, 'export' | 'version'> {
  readonly name: string;
  readonly module: string;
  readonly pace?: PaceEntry;
  readonly config: unknown;
  readonly answerBytes: number;
  /** Whether it may start, and so also signal, other processes. */
  readonly exec: boolean;
}

/** Limits with all defaults in place. */
export function limitsOf({ memoryMb, idleMs, startMs, answerBytes }: Limits = {}): Required<Limits> {
  return {
    memoryMb: memoryMb ?? 256,
    idleMs: idleMs ?? 60_000,
    startMs: startMs ?? 10_000,
    answerBytes: answerBytes ?? 4 * 1024 * 1024,
  };
}
