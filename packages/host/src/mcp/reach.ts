import { setTimeout as sleep } from 'node:timers/promises';
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { messageOf } from 'patchbay-sdk';
import { boundedFetch } from './bounded-fetch.ts';
import { expand } from './placeholders.ts';
import { type ServerProgram, type TakenPorts, valuesOf } from './program.ts';
import type { ServerLog } from './server-log.ts';
import { Session, wantsAnother } from './session.ts';
import type { ServerSpec } from './spec.ts';

/** A server that runs already answers sooner or not at all. */
export const reachMs = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** The way to a server. */
export interface Way {
  /** Opens a session with it. Rejects with what is wrong. */
  open(timeoutMs: number, signal: AbortSignal): Promise<Session>;
  /** Whether it can be gone more than once: an address can, the standard input of a program cannot. */
  readonly isLasting: boolean;
}

/** The way to a server: to its program, if it is spoken with so, or to its address. */
export function wayTo(
  spec: ServerSpec,
  ports: TakenPorts,
  variables: Readonly<Record<string, string>>,
  program: ServerProgram | undefined,
  log: ServerLog,
): Way {
  const hear = (problem: string) => log.note(`something is wrong: ${problem}`);
  if (program !== undefined && spec.transport === 'stdio') {
    return {
      isLasting: false,
      open: (timeoutMs, signal) => Session.open(program.transport(), timeoutMs, signal, hear),
    };
  }
  // That it does not listen yet is nothing to be told.
  let isUp = false;
  return {
    isLasting: true,
    open: async (timeoutMs, signal) => {
      const heard = (problem: string) => isUp && hear(problem);
      const to = () => remote(spec, ports, variables);
      const session = await Session.open(to(), timeoutMs, signal, heard).catch((error) => {
        if (wantsAnother(error)) return Session.open(to(), timeoutMs, signal, heard, 'auto');
        throw error;
      });
      isUp = true;
      return session;
    },
  };
}

/**
 * The first session with a server. One that was just started is asked again until it answers, ends, or its time is over. Rejects with
 * words that go on from the name of the server.
 */
export async function reach(
  way: Way,
  program: ServerProgram | undefined,
  probeMs: number,
  signal: AbortSignal,
): Promise<Session> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  const attempts =
    program !== undefined && way.isLasting
      ? repeated(way, performance.now() + probeMs, end)
      : way.open(program === undefined ? Math.min(probeMs, reachMs) : probeMs, end);
  try {
    const ended = program?.ended.then((how) => new Ended(`ended (${how}) before it was ready`));
    const first = await Promise.race(ended === undefined ? [attempts] : [attempts, ended]);
    if (first instanceof Session) return first;
    throw first;
  } catch (error) {
    over.abort();
    if (signal.aborted) throw new Error('was stopped before it was ready');
    if (error instanceof Ended) throw error;
    const mayBeStdio = program !== undefined && way.isLasting;
    const hint = mayBeStdio ? ' (should it speak over its standard output, set transport: stdio)' : '';
    throw new Error(`cannot be used: ${reasonOf(error)}${hint}`, { cause: error });
  }
}

/** It has ended by itself. */
class Ended extends Error {}

async function repeated(way: Way, until: number, signal: AbortSignal): Promise<Session> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await way.open(Math.max(1, Math.ceil(until - performance.now())), signal);
    } catch (error) {
      if (signal.aborted || performance.now() + pauseMs >= until) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

/** What leads to a server that is reached by an address. */
function remote(spec: ServerSpec, ports: TakenPorts, variables: Readonly<Record<string, string>>): Transport {
  const values = valuesOf(spec, ports, 'outside');
  const usual = `http://127.0.0.1:${ports.port}/${spec.transport === 'sse' ? 'sse' : 'mcp'}`;
  const url = new URL(spec.url === null ? usual : expand(spec.url, values));
  const known = { ...variables, ...values };
  const headers = Object.fromEntries(Object.entries(spec.headers).map(([name, text]) => [name, expand(text, known)]));
  const options = { fetch: boundedFetch, requestInit: { headers } };
  return spec.transport === 'sse'
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options);
}

/** What went wrong, and why, where that says more. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const message = messageOf(error);
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${messageOf(cause)})` : message;
}
