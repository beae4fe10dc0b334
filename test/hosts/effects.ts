import { existsSync, readFileSync } from 'node:fs';

/** One time that a core worked on an attempt of a turn. */
export interface Effort {
  /** RUN/TURN/ATTEMPT: the idempotency key. */
  readonly key: string;
  readonly host: string;
  /** Tells the lives of a host apart. */
  readonly pid: string;
  readonly begun: number;
  /** When it was done, or told to stop; undefined if neither was ever heard of. */
  readonly over: number | undefined;
  /** Whether it was done. */
  readonly isDone: boolean;
}

const line = /^(\S+) (begin|end|stopped) host=(\S+) pid=(\d+) at=(\d+)$/;

/** What the cores of all hosts have noted, in the order in which they began. */
export function effortsIn(file: string): Effort[] {
  const efforts: Effort[] = [];
  const open = new Map<string, number>();
  for (const text of existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []) {
    const [, key = '', what, host = '', pid = '', at] = line.exec(text) ?? [];
    const whose = `${key} ${pid}`;
    const known = open.get(whose);
    if (what === 'begin') {
      open.set(whose, efforts.push({ key, host, pid, begun: Number(at), over: undefined, isDone: false }) - 1);
    } else if (known !== undefined) {
      efforts[known] = { ...(efforts[known] as Effort), over: Number(at), isDone: what === 'end' };
      open.delete(whose);
    } else throw new Error(`an end without a beginning: ${text}`);
  }
  return efforts;
}

/** Those that a life of a host is at. */
export function underWay(efforts: readonly Effort[], pid: string): Effort[] {
  return efforts.filter((one) => one.pid === pid && one.over === undefined);
}
