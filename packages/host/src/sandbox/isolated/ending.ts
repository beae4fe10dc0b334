import { constants } from 'node:os';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** A namespace tells a signal as an exit code above 128. */
  readonly namespace: boolean;
  /** The end of what it printed. */
  readonly tail: string;
}

/** How a process ended, in words. */
export function describeExit({ code, signal, namespace, tail }: Exit): string {
  const name = signal ?? (namespace ? signalOf((code ?? 0) - 128) : undefined);
  if (name !== undefined && /out of memory|heap limit|bad_alloc/i.test(tail)) return `ran out of memory (${name})`;
  return name === undefined ? `exited with code ${code}` : `was ended by ${name}`;
}

function signalOf(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
