import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';
import type { Outcome } from 'patchbay-sdk';
import { Functions } from '../functions.ts';
import type { LoadParams } from '../options.ts';
import { Peer } from '../peer.ts';
import { fromRemote } from '../remote-error.ts';
import { ChildContext } from './context.ts';
import { freezeParsed } from './freeze.ts';
import { signalOnlyItself } from './guard.ts';
import { type Loaded, type LoadedHandler, load } from './load.ts';
import { logTo } from './log.ts';
import { Undos } from './undos.ts';

type After = (outcome: Outcome<unknown>) => unknown;

/** A wrapper between its halves. */
interface Entered {
  readonly after: After;
  readonly context: ChildContext;
  readonly handler: LoadedHandler;
}

// Held on to, because a plugin may replace them.
const exit = process.exit.bind(process);
const removeAllListeners = process.removeAllListeners.bind(process);

/** Serves a host over a file descriptor for as long as it is there: loads one plugin and calls its handlers. */
export function serve(fd: number): void {
  new Server(new Socket({ fd, readable: true, writable: true }));
}

class Server {
  readonly #peer: Peer;
  readonly #log: ReturnType<typeof logTo>;
  readonly #functions: Functions;
  readonly #undos: Undos;
  readonly #active = new Map<number, ChildContext>();
  readonly #entered = new Map<number, Entered>();
  /** Functions of the plugin that are at work, each with what stops it. */
  readonly #stops = new Map<number, AbortController>();
  /** The call of the host's that is being served. */
  readonly #within = new AsyncLocalStorage<number>();
  #loaded: Loaded | undefined;
  #longest = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(socket: Socket) {
    const gone = () => {
      // Where nobody asked it to stop the host has died: nothing of the plugin's may hold it up.
      if (!this.#stopped) removeAllListeners('exit');
      exit(0);
    };
    this.#peer = new Peer(socket, Number.POSITIVE_INFINITY, {
      serve: (method, params, id) => this.#serve(method, params, id),
      fault: gone,
      ended: gone,
    });
    this.#log = logTo(this.#peer);
    this.#functions = new Functions(async (ref, args) => {
      const sent = { ref, args: args.map((one) => this.#functions.encode(one)), within: this.#within.getStore() };
      const { value } = await this.#peer.ask('invoke', sent);
      return this.#functions.decode(value);
    });
    this.#undos = new Undos(() => this.#peer.notify('keep', {}));
  }

  #serve(method: string, params: Record<string, unknown>, id: number | undefined): void {
    if (method === 'cancel') this.#cancel(params['id'] as number);
    if (id === undefined) return;
    if (method === 'call') this.#call(id, params);
    else if (method === 'after') this.#after(id, params);
    else
      this.#settle(
        id,
        undefined,
        this.#within.run(id, () => this.#other(method, params, id)),
      );
  }

  async #other(method: string, params: Record<string, unknown>, id: number): Promise<unknown> {
    switch (method) {
      case 'load':
        return this.#load(params as unknown as LoadParams);
      case 'invoke':
        return this.#invoked(id, params);
      case 'stop':
        return this.#stop();
      default:
        throw new Error(`there is no "${method}"`);
    }
  }

  async #invoked(id: number, { ref, args }: Record<string, unknown>): Promise<unknown> {
    const stop = new AbortController();
    this.#stops.set(id, stop);
    try {
      return await this.#functions.call(ref, args, stop.signal);
    } finally {
      this.#stops.delete(id);
    }
  }

  async #load(params: LoadParams): Promise<unknown> {
    if (!params.exec) signalOnlyItself();
    this.#longest = params.answerBytes;
    this.#loaded = await load(params);
    return this.#loaded.description;
  }

  async #stop(): Promise<string[]> {
    const failures = await this.#undos.run();
    this.#log.settle();
    this.#stopped = true;
    return failures;
  }

  #call(id: number, { handler: index, run, delivery, payload }: Record<string, unknown>): void {
    const handler = this.#loaded?.handlers[index as number];
    if (this.#loaded === undefined || handler === undefined) {
      this.#peer.refuse(id, new Error(`has no handler ${String(index)}`));
      return;
    }
    const { config, description } = this.#loaded;
    const shared = { plugin: description.name, config, log: this.#log.log, defer: this.#undos.defer };
    const context = new ChildContext(shared, handler.hook, run, delivery);
    const given = handler.capability ? this.#functions.decode(payload) : payload;
    this.#run(id, handler, context, () => handler.fn(handler.frozen ? freezeParsed(given) : given, context));
  }

  #after(id: number, { of, outcome }: Record<string, unknown>): void {
    const entered = this.#entered.get(of as number);
    if (entered === undefined) {
      this.#peer.refuse(id, new Error('has no second half for this'));
      return;
    }
    this.#entered.delete(of as number);
    const { result, refusal } = outcome as { result?: unknown; refusal?: unknown };
    const { handler, after, context } = entered;
    const given = {
      result: handler.capability ? this.#functions.decode(result) : result,
      refusal: refusal === undefined ? undefined : fromRemote(refusal),
    };
    this.#run(id, handler, context, () => after(given as Outcome<unknown>));
  }

  #run(id: number, handler: LoadedHandler, context: ChildContext, work: () => unknown): void {
    this.#active.set(id, context);
    let answer: unknown;
    try {
      answer = work();
    } catch (thrown) {
      this.#failed(id, thrown);
      return;
    }
    if (typeof (answer as { then?: unknown } | null | undefined)?.then === 'function') {
      this.#settle(id, handler, answer as PromiseLike<unknown>);
    } else this.#answered(id, handler, answer);
  }

  #settle(id: number, handler: LoadedHandler | undefined, answer: PromiseLike<unknown>): void {
    Promise.resolve(answer).then(
      (value) => this.#answered(id, handler, value),
      (thrown) => this.#failed(id, thrown),
    );
  }

  #answered(id: number, handler: LoadedHandler | undefined, value: unknown): void {
    const context = this.#active.get(id);
    this.#active.delete(id);
    if (typeof value === 'function' && handler?.wraps && context !== undefined) {
      // Nobody will ask for the second half of what came too late.
      if (!context.signal.aborted) this.#entered.set(id, { after: value as After, context, handler });
      this.#peer.reply(id, { after: true });
      return;
    }
    try {
      this.#peer.reply(id, { value: handler?.capability ? this.#functions.encode(value) : value }, this.#longest);
    } catch (thrown) {
      this.#failed(id, thrown);
    }
  }

  #failed(id: number, thrown: unknown): void {
    this.#active.delete(id);
    this.#peer.refuse(id, thrown);
  }

  #cancel(id: number): void {
    this.#stops.get(id)?.abort();
    const context = this.#active.get(id);
    if (context === undefined) return;
    ChildContext.abort(context, new Error(`${context.plugin}: did not answer in time`));
  }
}
