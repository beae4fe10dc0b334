import { messageOf, type ServiceRequest, type ServiceResponse } from 'patchbay-sdk';
import { inTime } from '../capabilities/in-time.ts';
import type { Tool } from './tool.ts';

/** What a tool answers may be so long, as JSON. */
const mostCharacters = 1024 * 1024;
const mostOfError = 4096;

/** How a tool is called. */
export interface Handling {
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Takes the secrets of the plugin out of what it says. */
  readonly hide: <T>(value: T) => T;
}

/** Calls a tool. What it does wrong is an error that the agent can be told, naming its plugin or server. Never rejects. */
export async function handled(tool: Tool, request: ServiceRequest, how: Handling): Promise<ServiceResponse> {
  const { ms, signal, hide } = how;
  const wrong = (what: string) => ({
    error: hide(`tool "${tool.name}" of ${ownerOf(tool)} ${what}`).slice(0, mostOfError),
  });
  const over = new AbortController();
  let answer: unknown;
  try {
    const both = AbortSignal.any([signal, over.signal]);
    answer = await inTime(ms, () => unlessAborted(signal, async () => tool.run(request, both)));
  } catch (error) {
    if (signal.aborted) return { error: `the call of tool "${tool.name}" was cancelled` };
    return wrong(`failed: ${messageOf(error)}`);
  } finally {
    over.abort();
  }
  try {
    return answered(answer, hide) ?? wrong('answered neither { result } nor { error }');
  } catch (error) {
    return wrong(`answered what cannot be passed on: ${messageOf(error)}`);
  }
}

async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The answer as plain data; undefined if it is none. Throws if it is too long, or no JSON. */
function answered(answer: unknown, hide: Handling['hide']): ServiceResponse | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { error, result } = answer as { error?: unknown; result?: unknown };
  if (typeof error === 'string') return { error: hide(error).slice(0, mostOfError) };
  if (error !== undefined && error !== null) return undefined;
  if (!('result' in answer)) return undefined;
  const json = JSON.stringify(result ?? null) as string | undefined;
  if (json === undefined) return undefined;
  if (json.length > mostCharacters) throw new Error(`it has more than ${mostCharacters} characters`);
  return { result: hide(JSON.parse(json) as unknown) };
}

function ownerOf({ source: { kind, name } }: Tool): string {
  return kind === 'memory' ? `the memory of plugin "${name}"` : `${kind} "${name}"`;
}
