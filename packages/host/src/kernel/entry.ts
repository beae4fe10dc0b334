import type { Dialect, HandlerOptions, Log } from 'patchbay-sdk';
import { ticksIn } from './deadlines.ts';
import { type Breaker, Health, type Pulse } from './health.ts';

/** A handler or wrapper as the kernel calls it. */
export type Callable = (payload: unknown, ...rest: unknown[]) => unknown;

/** What the handlers of one plugin share; ends with it. */
export interface Owner {
  readonly plugin: string;
  readonly dialect: Dialect;
  readonly config: unknown;
  readonly log: Log;
  defer(undo: () => void | Promise<void>): void;
}

/** 0 tryfirst, 1 normal, 2 trylast. */
export type Phase = 0 | 1 | 2;

/** One function of one plugin for one hook. What may change of it is its health; the order never does. */
export class Entry extends Health {
  readonly hook: string;
  readonly owner: Owner;
  readonly id: string;
  /** Grows with every registration in the kernel. */
  readonly seq: number;
  readonly fn: Callable;
  readonly wraps: boolean;
  readonly phase: Phase;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly deadlineMs: number;
  /** The same, in ticks of the kernel's timer. */
  readonly ticks: number;
  /** Whether its failures and verdicts refuse. */
  readonly closed: boolean;

  constructor(
    of: {
      hook: string;
      owner: Owner;
      id: string;
      seq: number;
      fn: Callable;
      wraps: boolean;
      closed: boolean;
      deadlineMs: number;
      options: HandlerOptions;
    },
    breaker: Breaker,
    pulse: Pulse,
  ) {
    super(breaker, pulse, wantsContext(of.fn));
    this.hook = of.hook;
    this.owner = of.owner;
    this.id = of.id;
    this.seq = of.seq;
    this.fn = of.fn;
    this.wraps = of.wraps;
    this.phase = of.options.tryfirst ? 0 : of.options.trylast ? 2 : 1;
    this.before = [...(of.options.before ?? [])];
    this.after = [...(of.options.after ?? [])];
    this.deadlineMs = of.options.deadlineMs ?? of.deadlineMs;
    this.ticks = ticksIn(this.deadlineMs);
    this.closed = of.closed && of.options.advisory !== true;
  }

  get plugin(): string {
    return this.owner.plugin;
  }
}

/** A parameter list that provably has no place for a second argument: none, one name, or one flat pattern. */
const oneParameter =
  /^(?:async\s+)?(?:function\b\s*)?[\w$]*\s*(?:\(\s*(?:[\w$]+|\{[^{}()=.]*\})?\s*,?\s*\)|[\w$]+\s*=>)/;

/**
 * A context is made per call only for functions that may look at it. When in doubt they do: a default value, a rest
 * parameter, `arguments` or a bound function do not show in `length`.
 */
export function wantsContext(fn: Callable): boolean {
  const source = Function.prototype.toString.call(fn);
  return !oneParameter.test(source) || source.includes('arguments') || source.includes('[native code]');
}
