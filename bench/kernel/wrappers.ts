import { type Candidate, four } from '../measure.ts';
import { bodies, type Handler, handlers, Loop, ours, payload, sink } from './peers.ts';

type Wrapper = (p: unknown) => unknown;
type After = (result: unknown) => unknown;

let made = 0;

function wrappers(n: number, isAsync: boolean): Wrapper[] {
  const begin = isAsync ? 'async' : '';
  return Array.from({ length: n }, () => {
    const body = `sink.n++; return ${begin} () => { sink.n++; };`;
    return new Function('sink', `return ${begin} function wrapper_${made++}(p) { ${body} }`)(sink);
  });
}

/** Some wrappers around some handlers, beside the same written by hand. */
export function wrapped(
  n: number,
  around: number,
  { handlersAsync, wrappersAsync }: { handlersAsync: boolean; wrappersAsync: boolean },
): Record<string, Candidate> {
  const pairs = four(() => {
    const hs = handlers(n, bodies.notify(n), handlersAsync);
    const ws = wrappers(around, wrappersAsync);
    const { kernel, hook } = ours('notify', hs);
    for (const [i, wrapper] of ws.toReversed().entries()) {
      kernel.register({ name: `wrapper-${i}`, handlers: [{ hook: 'hook', wrapper }] });
    }
    return { hook, loop: new WrappedLoop(ws, hs) };
  });
  const loops = pairs.map(({ loop }) => loop);
  const hooks = pairs.map(({ hook }) => hook);
  const p = payload as never;
  if (!handlersAsync) return { loop: (k) => loops[k]?.sync(p), ours: (k) => hooks[k]?.callSync(payload) };
  return {
    loop: wrappersAsync ? (k) => loops[k]?.async(p) : (k) => loops[k]?.mixed(p),
    ours: (k) => hooks[k]?.call(payload),
  };
}

/** The hand-written loop with wrappers. */
class WrappedLoop extends Loop {
  readonly wrappers: readonly Wrapper[];

  constructor(wrappers: readonly Wrapper[], handlers: readonly Handler[]) {
    super(handlers);
    this.wrappers = wrappers;
  }

  sync(p: never): void {
    const afters: After[] = [];
    for (let i = 0; i < this.wrappers.length; i++) afters.push(this.wrappers[i]?.(p) as After);
    this.notify(p);
    for (let i = afters.length - 1; i >= 0; i--) afters[i]?.(undefined);
  }

  async mixed(p: never): Promise<void> {
    const afters: After[] = [];
    for (let i = 0; i < this.wrappers.length; i++) afters.push(this.wrappers[i]?.(p) as After);
    await this.notifyAsync(p);
    for (let i = afters.length - 1; i >= 0; i--) afters[i]?.(undefined);
  }

  async async(p: never): Promise<void> {
    const afters: After[] = [];
    for (let i = 0; i < this.wrappers.length; i++) afters.push((await this.wrappers[i]?.(p)) as After);
    await this.notifyAsync(p);
    for (let i = afters.length - 1; i >= 0; i--) await afters[i]?.(undefined);
  }
}
