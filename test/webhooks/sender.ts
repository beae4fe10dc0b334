import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { Pool } from 'undici';

export const secret = 'whsec_c2VjcmV0IG9mIHR3ZW50eS1mb3VyIGJ5dGVz';
const signer = new Webhook(secret);
const body = JSON.stringify({ ref: 'refs/heads/main', size: 1 });

function headersOf(id: string): Record<string, string> {
  const now = new Date();
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signer.sign(id, now, body),
  };
}

/** Clients with a connection each, which send one request after the other. */
export class Senders {
  readonly #pool: Pool;
  /** How often each status was answered; 0 for none. */
  readonly statuses = new Map<number, number>();

  constructor(port: number, connections: number) {
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  }

  /** Sends once. Gives the status and how long it took, in milliseconds; 0 if there was no answer. */
  async send(path: string, id: string): Promise<{ status: number; ms: number; text: string }> {
    const start = performance.now();
    let answer = { status: 0, text: '' };
    try {
      const { statusCode, body: its } = await this.#pool.request({
        path,
        method: 'POST',
        headers: headersOf(id),
        body,
      });
      answer = { status: statusCode, text: await its.text() };
    } catch {
      // Nobody is there, or no more.
    }
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    return { ...answer, ms: performance.now() - start };
  }

  /** Sends as a sender does: again and again, under the same id, until it is taken. Gives what was answered then. */
  async deliver(path: string, id: string, tries = 2000): Promise<string> {
    for (let left = tries; left > 0; left--) {
      const { status, text } = await this.send(path, id);
      if (status >= 200 && status < 300) return text;
      await sleep(20);
    }
    throw new Error(`${id} was never taken`);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
