import type { Readable } from 'node:stream';
import type { Confinement, Ended, Job } from './job.ts';

/** Why a job was not started. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
  readonly file: string;
}

/** What the host tells the launcher process. The end of these means that the host is gone. */
export type ToLauncher =
  | { readonly run: number; readonly job: Job }
  | { readonly stop: number }
  | { readonly adopt: number }
  | { readonly release: number };

/** What the launcher process tells the host. */
export type FromLauncher =
  | { readonly ready: Confinement }
  | { readonly started: number; readonly group: number }
  | { readonly ended: number; readonly how: Ended }
  | { readonly refused: number; readonly why: Refusal };

/** Calls `take` with each line. Not node:readline: that breaks lines at U+2028 too, which JSON leaves as it is. */
export function eachLine(stream: Readable, take: (line: string) => void): void {
  let begun: string[] = [];
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const [first = '', ...more] = chunk.split('\n');
    begun.push(first);
    for (const next of more) {
      take(begun.join(''));
      begun = [next];
    }
  });
}
