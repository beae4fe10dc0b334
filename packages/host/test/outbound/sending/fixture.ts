import { join } from 'node:path';
import { type Hooks, hooks, sample, type Verdict } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../../../test/project.ts';
import { openStore } from '../../../../../test/store.ts';
import { Kernel } from '../../../src/kernel/index.ts';
import { type Delivery, type DeliveryFilter, newEvent } from '../../../src/ledger/index.ts';
import { hiding } from '../../../src/log/redact.ts';
import { Emitter } from '../../../src/outbound/emitter.ts';
import { tellingOfFailures } from '../../../src/outbound/failed.ts';
import { HttpClient } from '../../../src/outbound/http.ts';
import { Lanes } from '../../../src/outbound/lanes.ts';
import { type Rights, rightsOf } from '../../../src/outbound/sending/rights.ts';
import { Sender } from '../../../src/outbound/sending/sender.ts';

const keys = ['k'.repeat(32), 'q'.repeat(32)].map((text) => `whsec_${Buffer.from(text).toString('base64')}`);
/** Two keys to sign with. */
export const [key = '', oldKey = ''] = keys;

/** An accepted turn, of a number. */
export const accepted = (number = 0) =>
  newEvent('turn:accepted', { ...sample('turn:accepted'), event_id: crypto.randomUUID(), summary: String(number) });

/** An answer that has something sent. */
export const sends = (url: string, body: unknown = { hello: 'world' }, headers?: Record<string, string>): Verdict => ({
  verdict: 'ok',
  send: { url, body, ...(headers === undefined ? {} : { headers }) },
});

/** What a test may want to be different. */
export interface Setting {
  /** A ledger that is there. @default a new one */
  readonly file?: string;
  readonly signing?: readonly string[];
  /** Of the environment; all of it are secrets of every plugin. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default what is on this machine */
  readonly grants?: readonly string[];
  readonly own?: boolean;
  readonly timeoutMs?: number;
  /** Plugins that are there when it goes to work. */
  readonly add?: Readonly<Record<string, () => unknown>>;
  /** @default one that the test moves */
  readonly clock?: 'real';
  /** The rights that plugins have; null: they are kept from running. */
  readonly rights?: null;
}

/** Everything between an event and a receiver, as a host puts it together, with a clock that the test moves. */
export async function station(setting: Setting = {}) {
  const { file = join(folder(), 'ledger.db'), signing = [], env = {}, grants = ['net:127.0.0.1'] } = setting;
  const secrets = Object.values(env);
  const rights: Rights = rightsOf({ grants, own: setting.own ?? false, signing, secrets }, env);
  const edition = { version: null, digest: null, hide: hiding(secrets), rights: setting.rights ?? rights };
  const editionOf = () => (setting.rights === null ? { ...edition, rights: null } : edition);
  const kernel = new Kernel<Hooks>(hooks);
  const ledger = await openStore(file);
  const emitter = new Emitter(kernel, ledger, editionOf);
  const lanes = new Lanes(kernel, ledger, emitter, editionOf);
  const client = new HttpClient();
  const clock = { now: Date.now() };
  const sender = new Sender({
    kernel,
    store: ledger,
    editionOf,
    client: async () => client,
    failed: tellingOfFailures(emitter),
    now: () => (setting.clock === 'real' ? Date.now() : clock.now),
    ...(setting.timeoutMs === undefined ? {} : { timeoutMs: setting.timeoutMs }),
  });
  const close = async () => {
    await lanes.close();
    await sender.close();
    await ledger.close();
    await client.close();
  };
  onTestFinished(close);
  const add = (name: string, handler: unknown, hook = 'turn:accepted') =>
    kernel.register({ name, handlers: [{ hook, handler, id: 'h' }] });
  for (const [name, handler] of Object.entries(setting.add ?? {})) add(name, handler);
  await lanes.start();
  await sender.start();
  return {
    kernel,
    ledger,
    emitter,
    sender,
    clock,
    file,
    close,
    /** Adds a plugin with a handler for accepted turns, or for another event. */
    add,
    /** When all that can be done now has been. */
    rest: async () => {
      do {
        await lanes.rest();
        await sender.rest();
      } while (!lanes.isAtRest);
    },
    deliveries: async (filter: DeliveryFilter = {}): Promise<Delivery[]> => {
      const found: Delivery[] = [];
      for await (const one of ledger.deliveries(filter)) found.push(one);
      return found;
    },
  };
}

/** A station at work. */
export type Station = Awaited<ReturnType<typeof station>>;

/** Moves the clock to when the next request is due, and lets it be sent. */
export async function later({ clock, ledger, rest }: Station): Promise<void> {
  const [next] = await ledger.unsentPlugins(new Date(clock.now));
  clock.now = Math.max(clock.now, Date.parse(next?.due_at ?? '') || 0);
  await rest();
}
