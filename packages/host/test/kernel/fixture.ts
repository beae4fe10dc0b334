import { type FailurePolicy, type HookKind, PatchbayError, verdict } from 'patchbay-sdk';
import * as z from 'zod/mini';
import {
  type Call,
  type Callable,
  type HandlerInput,
  Kernel,
  type KernelOptions,
  type Registration,
} from '../../src/kernel/index.ts';

/** A soft hook whose answers nobody checks. */
function soft<const K extends HookKind>(kind: K) {
  return {
    kind,
    failure: 'soft',
    deadlineMs: 2000,
    payload: z.any(),
    answer: null,
    since: '0.1',
    doc: 'A hook of the tests.',
  } as const;
}

const said = z.union([verdict, z.string()]);

/** The hooks of the tests: one of each kind, closed ones, and some with a peculiarity. */
export const table = {
  notify: soft('notify'),
  collect: soft('collect'),
  first: soft('first'),
  merge: soft('merge'),
  waterfall: soft('waterfall'),
  closedNotify: { ...soft('notify'), failure: 'closed', answer: verdict },
  closedCollect: { ...soft('collect'), failure: 'closed', answer: said },
  closedFirst: { ...soft('first'), failure: 'closed', answer: said },
  closedMerge: {
    ...soft('merge'),
    failure: 'closed',
    answer: z.union([verdict, z.record(z.string(), z.number())]),
  },
  closedWaterfall: { ...soft('waterfall'), failure: 'closed', answer: z.union([verdict, z.object({ n: z.number() })]) },
  texts: { ...soft('collect'), answer: z.string() },
  text: { ...soft('first'), answer: z.string() },
  numbers: { ...soft('merge'), answer: z.record(z.string(), z.number()) },
  counted: { ...soft('waterfall'), payload: z.object({ n: z.number() }), answer: z.object({ n: z.number() }) },
  verdicts: { ...soft('notify'), answer: verdict },
  looseWaterfall: { ...soft('waterfall'), frozen: false },
  looseNotify: { ...soft('notify'), frozen: false },
  past: { ...soft('notify'), historic: true },
  pastCollect: { ...soft('collect'), historic: true },
  pastMerge: { ...soft('merge'), historic: true },
  old: { ...soft('notify'), deprecated: 'use "notify"' },
} as const;

export type Table = typeof table;
export type HookId = keyof Table & string;

/** The ways a hook can be called: seldom, often with generated code, and often where code may not be generated. */
export const tiers = ['cold', 'hot', 'no codegen'] as const;
export type Tier = (typeof tiers)[number];

type Options = Omit<HandlerInput, 'hook' | 'handler' | 'wrapper'>;
/** What the second half of a wrapper is given. */
export type Seen<R = unknown> = { readonly result: R; readonly refusal: PatchbayError | undefined };
type Handle = (payload: never, context: never) => unknown;

/** A kernel with the table above that is always found in one tier, and everything that was said to it. */
export class Stage {
  readonly failures: PatchbayError[] = [];
  readonly warnings: string[] = [];
  /** Who was called, for tests to fill. */
  readonly log: string[] = [];
  readonly tier: Tier;
  readonly kernel: Kernel<Table>;
  readonly #warm = new Set<string>();
  readonly #times = new Map<string, number>();
  /** Whether calls are made only to make a hook hot. */
  warming = false;

  constructor(tier: Tier = 'cold', options: KernelOptions = {}) {
    this.tier = tier;
    this.kernel = new Kernel(table, {
      onFailure: (failure) => this.failures.push(failure),
      onWarning: (message) => this.warnings.push(message),
      codegen: tier !== 'no codegen',
      ...options,
    });
  }

  /** Registers a plugin with one handler. */
  add(plugin: string, hook: HookId, handler: Handle, options: Options = {}) {
    return this.put({ name: plugin, handlers: [{ hook, handler, ...options }] });
  }

  /** Registers a plugin with one wrapper. */
  wrap(plugin: string, hook: HookId, wrapper: Handle, options: Options = {}) {
    return this.put({ name: plugin, handlers: [{ hook, wrapper, ...options }] });
  }

  /** Registers a plugin whose handler of `hook` does nothing but say its name. */
  speaker(plugin: string, hook: HookId, options: Options & Pick<Registration, 'dialect'> = {}) {
    const { dialect = 'native', ...rest } = options;
    const handler = () => {
      this.log.push(plugin);
    };
    return this.put({ name: plugin, dialect, handlers: [{ hook, handler, ...rest }] });
  }

  put(registration: Registration) {
    this.#warm.clear();
    const handlers = registration.handlers.map((input) => this.#patient(input));
    return this.kernel.register({ ...registration, handlers });
  }

  /** The hook of this name, in the tier of the stage. */
  hook<H extends HookId>(name: H) {
    const hook = this.kernel.hook(name);
    if (this.tier !== 'cold' && !this.#warm.has(name)) this.warm(name, hook);
    return hook;
  }

  call<H extends HookId>(name: H, payload: unknown = {}, call?: Call) {
    return this.hook(name).call(payload as never, call);
  }

  sync<H extends HookId>(name: H, payload: unknown = {}, call?: Call) {
    return this.hook(name).callSync(payload as never, call);
  }

  /** Calls a hook until it is hot; its handlers are spared that. */
  warm(name: string, hook: { call(payload: never): unknown; callSync(payload: never): unknown }): void {
    const times = this.#times.get(name) ?? 0;
    this.#times.set(name, times + 1);
    this.#warm.add(name);
    this.warming = true;
    const n = 260 * 2 ** times;
    for (let i = 0; i < n; i++) {
      hook.call({} as never);
      hook.callSync({} as never);
    }
    this.warming = false;
  }

  /** The codes of the failures so far, each with its plugin. */
  get told(): string[] {
    return this.failures.map(({ code, plugin }) => `${plugin} ${code}`);
  }

  /** A handler or wrapper that does nothing while the hook is warmed up, and takes as many arguments as before. */
  #patient(input: HandlerInput): HandlerInput {
    if (this.tier === 'cold') return input;
    const fn = (input.wrapper ?? input.handler) as Callable;
    const two = (payload: unknown, context: unknown) => (this.warming ? null : fn(payload, context));
    const one = (payload: unknown) => (this.warming ? undefined : fn(payload));
    const patient = fn.length > 1 ? two : one;
    return input.wrapper === undefined ? { ...input, handler: patient } : { ...input, wrapper: patient };
  }
}

/** The error that something throws or is rejected with. Anything but one of ours is thrown on. */
export async function errorOf(act: () => unknown): Promise<PatchbayError> {
  try {
    await act();
  } catch (thrown) {
    if (thrown instanceof PatchbayError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

const lost = ['unhandledRejection', 'uncaughtException'] as const;

/** What was thrown or rejected with nobody listening while `act` ran, and shortly after. */
export async function unheard(act: () => unknown): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const others = lost.map((event) => [event, process.rawListeners(event)] as const);
  for (const event of lost) {
    process.removeAllListeners(event);
    process.on(event, (reason) => reasons.push(reason));
  }
  try {
    await act();
    await turn();
  } finally {
    for (const [event, listeners] of others) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
  }
  return reasons;
}

/** Lets everything happen that is about to happen. */
export async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

export function never(): Promise<never> {
  return new Promise(() => {});
}

const key = 'then';

/** Something with a `then` that does whatever the test likes. */
export function thenable(act: (ok: (value: unknown) => void, no: (error: unknown) => void) => void): object {
  return { [key]: act };
}

/** Something whose `then` cannot even be read. */
export function unreadable(): object {
  return Object.defineProperties(
    {},
    {
      [key]: {
        get() {
          throw new Error('then is not for you');
        },
      },
    },
  );
}

/** A table of one row that may contradict itself. */
export function historic(kind: HookKind, failure: FailurePolicy) {
  return { odd: { ...soft(kind), failure, historic: true } };
}
