/** When a handler that keeps failing is left alone, and for how long. */
export interface Breaker {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** Milliseconds until one call is let through to see; doubled each time that fails too. */
  readonly pauseMs: number;
  /** The pause never grows beyond this. */
  readonly maxPauseMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Beats whenever the health of any handler of a kernel changes: callers that saw no beat need not look at each. */
export interface Pulse {
  beats: number;
}

/**
 * Whether a handler is called at all. A healthy one costs its callers one look at `ok`; the rest is for handlers that
 * have failed, are paused or are gone. (Not cockatiel: its breakers wrap every call in a promise.)
 */
export class Health {
  /** False for anything that needs a closer look before the call: see `admit`. */
  ok = true;
  /** `ok`, and the function takes the payload only. */
  simple: boolean;
  failures = 0;
  /** How often the breaker opened since it last worked. */
  pauses = 0;
  pausedUntil = 0;
  /** False once its plugin is gone: calls under way leave it out. */
  live = true;
  readonly wantsContext: boolean;
  readonly #breaker: Breaker;
  readonly #pulse: Pulse;
  #probing = false;

  constructor(breaker: Breaker, pulse: Pulse, wantsContext: boolean) {
    this.#breaker = breaker;
    this.#pulse = pulse;
    this.wantsContext = wantsContext;
    this.simple = !wantsContext;
  }

  /** May it be called now? After a pause, one caller is told yes, to probe. */
  admit(): boolean {
    if (this.pauses === 0) return true;
    if (this.#probing || this.#breaker.now() < this.pausedUntil) return false;
    this.#probing = true;
    return true;
  }

  /** Milliseconds until it is tried again; 0 if it may be called now. */
  pausedFor(): number {
    return this.pauses === 0 ? 0 : Math.max(0, this.pausedUntil - this.#breaker.now());
  }

  /** It worked: all is forgiven. */
  worked(): void {
    this.failures = 0;
    this.pauses = 0;
    this.#probing = false;
    if (this.live) this.#set(true);
  }

  /** It failed; enough of that in a row, or a failed probe, pauses it. */
  failed(): void {
    this.failures++;
    this.#set(false);
    if (!this.#probing && (this.pauses > 0 || this.failures < this.#breaker.failures)) return;
    this.#probing = false;
    const { pauseMs, maxPauseMs, now } = this.#breaker;
    this.pausedUntil = now() + Math.min(pauseMs * 2 ** this.pauses, maxPauseMs);
    this.pauses++;
  }

  /** It is no longer registered. */
  retire(): void {
    this.live = false;
    this.#set(false);
  }

  #set(ok: boolean): void {
    this.#pulse.beats++;
    this.ok = ok;
    this.simple = ok && !this.wantsContext;
  }
}
