import { EventEmitter } from 'node:events';
import { createHooks } from 'hookable';
import { Kernel } from 'patchbay-host/kernel';
import type { HookKind, HookRow } from 'patchbay-sdk';
import { AsyncSeriesHook, SyncBailHook, SyncHook, SyncWaterfallHook } from 'tapable';
import * as z from 'zod/mini';
import type { Candidate } from '../measure.ts';

export type Handler = (payload: never) => unknown;

/** Where handlers leave a trace, so that the engine cannot do away with them. */
export const sink = { n: 0 };
export const payload = { a: 1 };

let made = 0;

/** Handlers as different plugins bring them: each its own function, not closures of one. */
export function handlers(n: number, body: (i: number) => string, isAsync = false): Handler[] {
  return Array.from({ length: n }, (_, i) => {
    const source = `return ${isAsync ? 'async ' : ''}function plugin_${made++}(p) { ${body(i)} }`;
    return new Function('sink', source)(sink) as Handler;
  });
}

/** What handlers of each kind do: as little as shows that they were called. */
export const bodies: Record<HookKind, (n: number) => (i: number) => string> = {
  notify: () => () => 'sink.n += p.a;',
  collect: () => (i) => `sink.n += p.a; return ${i};`,
  // The last one answers: the whole way is measured.
  first: (n) => (i) => `sink.n += p.a; return ${i === n - 1 ? i : 'null'};`,
  waterfall: () => () => 'return p + 1;',
  merge: () => (i) => `sink.n += p.a; return { k${i}: ${i} };`,
};

/**
 * The hand-written loop: what one writes without any of this. A list of handlers in an object, to which more can be
 * added, and a method that calls them; nothing is caught.
 */
export class Loop {
  readonly handlers: Handler[];

  constructor(handlers: readonly Handler[]) {
    this.handlers = [...handlers];
  }

  notify(p: never): void {
    for (let i = 0; i < this.handlers.length; i++) this.handlers[i]?.(p);
  }

  collect(p: never): unknown[] {
    const out: unknown[] = [];
    for (let i = 0; i < this.handlers.length; i++) {
      const r = this.handlers[i]?.(p);
      if (r !== undefined && r !== null) out.push(r);
    }
    return out;
  }

  first(p: never): unknown {
    for (let i = 0; i < this.handlers.length; i++) {
      const r = this.handlers[i]?.(p);
      if (r !== undefined && r !== null) return r;
    }
    return null;
  }

  waterfall(p: never): unknown {
    let value = p;
    for (let i = 0; i < this.handlers.length; i++) {
      const r = this.handlers[i]?.(value);
      if (r !== undefined && r !== null) value = r as never;
    }
    return value;
  }

  merge(p: never): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (let i = 0; i < this.handlers.length; i++) Object.assign(out, this.handlers[i]?.(p));
    return out;
  }

  async notifyAsync(p: never): Promise<void> {
    for (let i = 0; i < this.handlers.length; i++) await this.handlers[i]?.(p);
  }

  async collectAsync(p: never): Promise<unknown[]> {
    const out: unknown[] = [];
    for (let i = 0; i < this.handlers.length; i++) {
      const r = await this.handlers[i]?.(p);
      if (r !== undefined && r !== null) out.push(r);
    }
    return out;
  }

  async firstAsync(p: never): Promise<unknown> {
    for (let i = 0; i < this.handlers.length; i++) {
      const r = await this.handlers[i]?.(p);
      if (r !== undefined && r !== null) return r;
    }
    return null;
  }

  async waterfallAsync(p: never): Promise<unknown> {
    let value = p;
    for (let i = 0; i < this.handlers.length; i++) {
      const r = await this.handlers[i]?.(value);
      if (r !== undefined && r !== null) value = r as never;
    }
    return value;
  }

  async mergeAsync(p: never): Promise<Record<string, unknown>> {
    const out: Record<string, unknown> = {};
    for (let i = 0; i < this.handlers.length; i++) Object.assign(out, await this.handlers[i]?.(p));
    return out;
  }
}

export function rowOf(kind: HookKind, more: Partial<HookRow> = {}): HookRow {
  return {
    kind,
    failure: 'soft',
    deadlineMs: 30_000,
    payload: z.any(),
    answer: null,
    since: '0',
    doc: '',
    frozen: false,
    ...more,
  };
}

/** Our kernel with one plugin for each handler. */
export function ours(
  kind: HookKind,
  hs: readonly Handler[],
  { row = {}, codegen = true }: { row?: Partial<HookRow>; codegen?: boolean } = {},
) {
  const kernel = new Kernel({ hook: rowOf(kind, row) }, { codegen });
  // Ours calls the last registered first; registered backwards they run in the same order as the peers'.
  hs.toReversed().forEach((handler, i) => {
    kernel.register({ name: `p${i}`, handlers: [{ hook: 'hook', handler }] });
  });
  return { kernel, hook: kernel.hook('hook') };
}

type Call = (p: unknown) => unknown;

/** The libraries, for the kinds they have: four hooks of each. */
export function peers(kind: HookKind, lists: readonly Handler[][], input: unknown): Record<string, Candidate> {
  const call = (make: (hs: readonly Call[]) => Call): Candidate => {
    const calls = lists.map((hs) => make(hs as Call[]));
    return (k) => calls[k]?.(input);
  };
  switch (kind) {
    case 'notify':
      return {
        tapable: call((hs) => {
          const hook = new SyncHook<[unknown]>(['p']);
          for (const [i, h] of hs.entries()) hook.tap(`p${i}`, h as (p: unknown) => void);
          return (p) => hook.call(p);
        }),
        EventEmitter: call((hs) => {
          const emitter = new EventEmitter().setMaxListeners(0);
          for (const h of hs) emitter.on('hook', h);
          return (p) => emitter.emit('hook', p);
        }),
        hookable: call((hs) => {
          const hooks = createHooks<Record<string, (p: unknown) => void>>();
          for (const h of hs) hooks.hook('hook', h as (p: unknown) => void);
          return (p) => hooks.callHook('hook', p);
        }),
        rollup: call((hs) => (p) => rollupNotify(hs, p)),
      };
    case 'first':
      return {
        tapable: call((hs) => {
          const hook = new SyncBailHook<[unknown], unknown>(['p']);
          // tapable goes on at undefined only.
          for (const [i, h] of hs.entries()) hook.tap(`p${i}`, (q) => h(q) ?? undefined);
          return (p) => hook.call(p);
        }),
        rollup: call((hs) => (p) => rollupFirst(hs, p)),
      };
    case 'waterfall':
      return {
        tapable: call((hs) => {
          const hook = new SyncWaterfallHook<[unknown]>(['p']);
          for (const [i, h] of hs.entries()) hook.tap(`p${i}`, h);
          return (p) => hook.call(p);
        }),
        rollup: call((hs) => (p) => rollupReduce(hs, p)),
      };
    default:
      return {};
  }
}

/** The async libraries: four hooks of each. */
export function asyncPeers(kind: HookKind, lists: readonly Handler[][], input: unknown): Record<string, Candidate> {
  if (kind !== 'notify') return {};
  const taps = lists.map((hs) => {
    const hook = new AsyncSeriesHook<[unknown]>(['p']);
    for (const [i, h] of hs.entries()) hook.tapPromise(`p${i}`, h as (p: unknown) => Promise<void>);
    return hook;
  });
  const hookables = lists.map((hs) => {
    const hooks = createHooks<Record<string, (p: unknown) => Promise<void>>>();
    for (const h of hs) hooks.hook('hook', h as (p: unknown) => Promise<void>);
    return hooks;
  });
  return { tapable: (k) => taps[k]?.promise(input), hookable: (k) => hookables[k]?.callHook('hook', input) };
}

/** The way of bundlers' plugin drivers: a list of plugins, the hook looked up on each, called with a context. */
const context = { meta: {} };
function rollupNotify(hs: readonly Call[], p: unknown): void {
  for (const h of hs) runHook(h, [p]);
}
function rollupFirst(hs: readonly Call[], p: unknown): unknown {
  for (const h of hs) {
    const result = runHook(h, [p]);
    if (result != null) return result;
  }
  return null;
}
function rollupReduce(hs: readonly Call[], p: unknown): unknown {
  let value = p;
  for (const h of hs) value = runHook(h, [value]) ?? value;
  return value;
}
function runHook(h: Call, args: [unknown]): unknown {
  try {
    return h.apply(context, args);
  } catch (error) {
    throw Object.assign(error as Error, { plugin: h.name });
  }
}
