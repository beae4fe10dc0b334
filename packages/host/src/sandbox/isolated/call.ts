import { capabilityHooks, type HookContext, type Outcome, PatchbayError } from 'patchbay-sdk';
import type { Callable } from '../../kernel/index.ts';
import type { PluginProcess } from './child-process.ts';
import { toRemote } from './remote-error.ts';

/** A call of one handler, as it is sent. */
export interface Called {
  readonly handler: number;
  readonly run: string | null;
  readonly delivery: string | null;
  readonly payload: unknown;
}

/** Who has the process that a call goes to. */
export interface Source {
  readonly running: PluginProcess | undefined;
  up(): Promise<PluginProcess>;
}

/** The function that the kernel calls in place of the plugin's. `called` hears of each call. */
export function standIn(
  source: Source,
  hook: string,
  index: number,
  wraps: boolean,
  called: ((called: Called) => void) | undefined,
): Callable {
  const functions = Object.hasOwn(capabilityHooks, hook);
  const send = async (payload: unknown, context: HookContext) => {
    const process = source.running ?? (await waitFor(source, context.signal));
    const sent = functions ? process.encode(payload) : payload;
    const call: Called = { handler: index, run: context.run, delivery: context.delivery, payload: sent };
    called?.(call);
    const id = process.nextId;
    const { value, after } = await request(process, 'call', call, context);
    if (after && wraps) return (outcome: Outcome<unknown>) => secondHalf(process, id, outcome, context, functions);
    return functions ? process.decode(value) : value;
  };
  return (payload, context) => send(payload, context as HookContext);
}

async function secondHalf(
  process: PluginProcess,
  of: number,
  { result, refusal }: Outcome<unknown>,
  context: HookContext,
  functions: boolean,
): Promise<unknown> {
  const outcome = {
    result: functions ? process.encode(result) : result,
    refusal: refusal === undefined ? undefined : toRemote(refusal),
  };
  const { value } = await request(process, 'after', { of, outcome }, context);
  return functions ? process.decode(value) : value;
}

function request(process: PluginProcess, method: string, params: object, { signal, plugin }: HookContext) {
  if (process.isClogged) {
    const message = `plugin "${plugin}" does not take what it is sent`;
    throw new PatchbayError('HANDLER_FAILED', message, { plugin });
  }
  const id = process.nextId;
  const asked = process.ask(method, params);
  signal.addEventListener('abort', () => process.cancel(id, asked), { once: true });
  return asked;
}

/** Not longer than the call may take. */
async function waitFor(source: Source, signal: AbortSignal): Promise<PluginProcess> {
  const process = await source.up();
  signal.throwIfAborted();
  return process;
}
