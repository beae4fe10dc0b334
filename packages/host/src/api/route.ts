import type { Hooks } from 'patchbay-sdk';
import type * as z from 'zod/mini';
import type { Assistant } from '../assistant/index.ts';
import type { Project } from '../config/project.ts';
import type { Kernel } from '../kernel/index.ts';
import type { McpSupervisor } from '../mcp/index.ts';
import type { Foreman } from '../runs/foreman.ts';
import type { Service } from '../service.ts';
import type { EventStreams } from './streams.ts';

/** What the routes work with. */
export interface ApiParts {
  readonly project: Project;
  readonly kernel: Kernel<Hooks>;
  readonly service: Pick<Service, 'ledger' | 'runs'>;
  readonly foreman: Pick<Foreman, 'retry' | 'troubles'>;
  /** On which paths requests of others are taken. */
  readonly webhooks: readonly { readonly path: string; readonly plugin: string; readonly scheme: string }[];
  readonly streams: EventStreams;
  /** The MCP servers of the project. @default there are none */
  readonly mcp?: McpSupervisor | undefined;
  /** Who talks with people. @default nobody does */
  readonly assistant?: () => Assistant | undefined;
}

/** What a request asks. */
export interface Asked<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly header: (name: string) => string | undefined;
  /** Cuts the connection off. */
  readonly drop: () => void;
}

type Fields = z.ZodMiniObject;
type Given<S extends Fields | undefined> = S extends Fields ? z.output<S> : Record<string, never>;

/** One row of the table of routes: the handler, what goes in and out, and what people read of it. */
export interface Route {
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/api/v1`, as OpenAPI writes it: `/runs/{run_id}`. */
  readonly path: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** Anybody may call it. @default only who has the token */
  readonly open?: boolean;
  /** @default 200 */
  readonly status?: 200 | 202;
  readonly params?: Fields;
  readonly query?: Fields;
  readonly body?: Fields;
  /** What it answers; a stream of server-sent events if it is `stream`. */
  readonly answer: z.ZodMiniType | 'stream';
  readonly handle: (asked: Asked<never, never, never>, parts: ApiParts) => unknown;
}

/** A row whose handler gets what its schemas let through, and gives what its answer says. */
export function route<
  A extends z.ZodMiniType,
  P extends Fields | undefined = undefined,
  Q extends Fields | undefined = undefined,
  B extends Fields | undefined = undefined,
>(
  row: Omit<Route, 'params' | 'query' | 'body' | 'answer' | 'handle'> & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly answer: A;
    readonly handle: (
      asked: Asked<Given<P>, Given<Q>, Given<B>>,
      parts: ApiParts,
    ) => z.output<A> | Promise<z.output<A>>;
  },
): Route {
  return row as unknown as Route;
}

/** A row that answers a stream of server-sent events. */
export function streamRoute<Q extends Fields>(
  row: Omit<Route, 'params' | 'query' | 'body' | 'answer' | 'handle'> & {
    readonly query: Q;
    readonly handle: (
      asked: Asked<Record<string, never>, z.output<Q>, Record<string, never>>,
      parts: ApiParts,
    ) => ReadableStream | Promise<ReadableStream>;
  },
): Route {
  return { ...row, answer: 'stream' } as unknown as Route;
}
