import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from 'patchbay-sdk';
import type { Endpoint, LedgerStore } from '../../ledger/index.ts';
import type { Edition } from '../emitter.ts';
import type { HttpClient } from '../http-client.ts';
import { credentialsOf, type Prepared } from '../http-exchange.ts';
import { redactor } from '../http-redact.ts';
import type { Due } from '../lane.ts';
import { attempt, type Receipt } from './attempt.ts';
import { nextAttempt } from './backoff.ts';
import { openRequest } from './request.ts';
import { noRights, type Rights } from './rights.ts';
import { signed } from './signature.ts';

/** What a postman needs of those around it. */
export interface PostmanParts {
  readonly store: LedgerStore;
  readonly editionOf: (plugin: string) => Edition;
  /** Made when it is first needed. */
  readonly client: () => Promise<HttpClient>;
  /** Hears of a request that was given up. Never rejects. */
  readonly failed: (due: Due, message: string | null) => Promise<void>;
  /** Milliseconds since 1970. @default the clock of the system */
  readonly now?: () => number;
  /** How long an answer is waited for. @default 15 s */
  readonly timeoutMs?: number;
}

/** So many requests given up in a row disable an endpoint. */
const disableAfter = 5;
const writeAgainMs = 1000;

/** Makes an attempt to send a request, and writes down what came of it. */
export class Postman {
  readonly #parts: PostmanParts;
  readonly #now: () => number;
  readonly #signal: AbortSignal;

  /** The signal ends attempts under way: they have not been made. */
  constructor(parts: PostmanParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#signal = signal;
  }

  /** Gives when it is to be sent again, in milliseconds; undefined if it is not. Never rejects. */
  async send(due: Due): Promise<number | undefined> {
    const { delivery } = due;
    const started = performance.now();
    const receipt = await this.#try(due).catch(unsent('again'));
    const { means, message, http_status } = receipt;
    if (means === 'stopped') return undefined;
    const attempts = delivery.attempts + (means === 'forbidden' ? 0 : 1);
    const duration_ms = Math.round((performance.now() - started) * 1000) / 1000;
    const sent = { attempts, http_status, message, duration_ms };
    const { store, failed } = this.#parts;
    if (means === 'arrived') {
      const status = delivery.verdict === 'warn' ? 'warn' : 'ok';
      await this.#write(delivery.id, () => store.sent(delivery.id, { ...sent, status }));
      return undefined;
    }
    const next = means === 'again' ? this.#next(due, receipt, attempts) : undefined;
    if (next !== undefined) {
      await this.#write(delivery.id, () => store.postpone(delivery.id, sent, new Date(next)));
      return next;
    }
    // What is forbidden says nothing of the endpoint.
    const limit = means === 'forbidden' ? null : means === 'gone' ? 1 : disableAfter;
    const isGivenUp = await this.#write(delivery.id, () =>
      store.sent(delivery.id, { ...sent, status: 'failed' }, limit),
    );
    if (isGivenUp) await failed(due, message);
    return undefined;
  }

  #next({ delivery, event }: Due, { retryAfter }: Receipt, attempts: number): number | undefined {
    const askedAt = Date.parse(delivery.asked_at ?? event.at);
    return nextAttempt({ attempts, askedAt, retryAfter, now: this.#now(), chance: Math.random() });
  }

  /** One attempt. Rejects where nothing is wrong with the request. */
  async #try({ delivery }: Due): Promise<Receipt> {
    const { store, editionOf, client, timeoutMs = 15_000 } = this.#parts;
    const { plugin, handler } = delivery;
    const endpoint = (await store.endpoints()).find((one) => one.plugin === plugin && one.handler === handler);
    if (endpoint?.disabled_at != null) return unsent('forbidden')(whyDisabled(endpoint));
    const { rights, hide } = editionOf(plugin);
    const { grants, own: anyHost, ...how } = rights ?? noRights;
    const made = await this.#prepare(delivery, how).catch(unsent('forbidden'));
    if ('means' in made) return made;
    const call = { client: await client(), plugin: { name: plugin, grants, anyHost }, timeoutMs, signal: this.#signal };
    const receipt = await attempt(call, made.prepared);
    const { message } = receipt;
    return { ...receipt, message: message === null ? null : hide(redactor(made.secrets)(message)) };
  }

  /** Rejects if the request cannot be made. */
  async #prepare(
    { request, key }: Due['delivery'],
    { seal, signing }: Pick<Rights, 'seal' | 'signing'>,
  ): Promise<{ prepared: Prepared; secrets: readonly string[] }> {
    const { url, headers, body } = openRequest(request ?? {}, seal);
    const { secrets, authorization } = credentialsOf(url);
    const own = await signed(key, body, { keys: signing, now: new Date(this.#now()) });
    const all = new Map([
      ['content-type', 'application/json'],
      ['user-agent', 'patchbay'],
      ...(authorization === undefined ? [] : [['authorization', authorization] as const]),
      ...headers,
      ...own,
    ]);
    return { prepared: { url, headers: all, body }, secrets: [...secrets, ...seal.secrets, ...signing] };
  }

  /**
   * Writes down what came of an attempt. It was made: if that fails, it is not made again, but written down later. Gives whether
   * that changed anything.
   */
  async #write(id: string, write: () => Promise<boolean>): Promise<boolean> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (this.#signal.aborted) return false;
        process.emitWarning(`delivery ${id} could not be written down: ${messageOf(error)}`, 'PatchbayWarning');
        await sleep(writeAgainMs, undefined, { signal: this.#signal, ref: false }).catch(() => {});
      }
    }
  }
}

function whyDisabled({ disabled_at, failures, message }: Endpoint): string {
  return `nothing is sent there since ${disabled_at}, as ${failures} were given up; the last: ${message}`;
}

/** Makes a receipt of why nothing was sent. */
function unsent(means: 'again' | 'forbidden'): (why: unknown) => Receipt {
  return (why) => ({ means, message: messageOf(why), http_status: null, retryAfter: undefined });
}
