import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { path, signed } from './request.ts';

/** What sending for a while came to. */
export interface Sent {
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p99: number;
}

const seconds = 1;
/** More than any of the servers answers in that time, before it is known how many that are. */
const first = 60_000;

/** Sends requests over 64 connections with `wrk`, which takes a fraction of the time of a core that answering takes. */
export class Wrk {
  readonly #file: string;
  /** How many were sent the last time, by port. */
  readonly #sent = new Map<number, number>();

  /** The folder is for the requests, which are signed before they are sent. */
  constructor(dir: string) {
    this.#file = join(dir, 'requests.txt');
  }

  /** Sends to a port for a second. Throws if anything was not answered well. */
  async send(port: number): Promise<Sent> {
    const before = this.#sent.get(port);
    const count = before === undefined ? first : 2 * before + 1000;
    const requests = Array.from({ length: count }, signed);
    const lines = requests.map(({ headers }) =>
      [headers['webhook-id'], headers['webhook-timestamp'], headers['webhook-signature']].join(' '),
    );
    writeFileSync(this.#file, [path, requests[0]?.body, ...lines, ''].join('\n'));
    const script = join(import.meta.dirname, 'wrk.lua');
    // On a slow machine a server of Python may leave one of them waiting for long: no answer is too late.
    const how = ['-t1', '-c64', `-d${seconds}s`, '--timeout', '30s', '-s', script];
    const { stdout } = await promisify(execFile)('wrk', [...how, `http://127.0.0.1:${port}`, this.#file]).catch(
      (cause) => {
        throw cause.code === 'ENOENT'
          ? new Error('wrk is needed for this benchmark (apt-get install wrk)', { cause })
          : cause;
      },
    );
    const { requests: sent, us, errors, p99us } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    if (errors > 0) throw new Error(`${errors} of ${sent} requests were not answered well`);
    if (sent >= count) throw new Error(`all ${count} requests that were signed were answered within ${seconds} s`);
    this.#sent.set(port, sent);
    return { perSecond: (1e6 * sent) / us, p99: p99us / 1000 };
  }
}
