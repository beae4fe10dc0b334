import type { Readable } from 'node:stream';
import type { Confinement, Ended, Following, Job, StreamName } from './job.ts';

/** Why a job was not started. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
  readonly file: string;
}

/** Something that a job has just printed: bytes in base64, and how many were left out between them. */
export interface Piece {
  readonly stream: StreamName;
  readonly head: string;
  readonly leftOut?: number;
  readonly tail?: string;
}

/** What the host tells the launcher process. The end of these means that the host is gone. */
export type ToLauncher =
  | { readonly run: number; readonly job: Job; readonly follow?: Following | undefined }
  | { readonly stop: number }
  /** To be read by a job that talks: bytes in base64. Answered by `written`. */
  | { readonly write: number; readonly bytes: string }
  /** There is no more to read for it. */
  | { readonly endInput: number }
  /** So many bytes of its output have been taken. */
  | { readonly taken: number; readonly count: number }
  | { readonly adopt: number }
  | { readonly release: number };

/** What the launcher process tells the host. */
export type FromLauncher =
  | { readonly ready: Confinement }
  | { readonly started: number; readonly group: number }
  | { readonly output: number; readonly piece: Piece }
  | { readonly written: number }
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
