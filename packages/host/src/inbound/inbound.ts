import { isIP } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { type Hooks, messageOf, PatchbayError } from 'patchbay-sdk';
import type { Project } from '../config/project.ts';
import type { Peers } from '../hosts/peers.ts';
import type { Kernel } from '../kernel/index.ts';
import type { Service } from '../service.ts';
import { Backlog } from './backlog.ts';
import { beginning } from './begin.ts';
import { Desk } from './desk.ts';
import { defaultLimits, type InboundLimits } from './limits.ts';
import { PauseWatch } from './pauses.ts';
import { Reception } from './reception.ts';
import { type Route, Routes } from './routes.ts';
import { type BeginRun, RunStarts } from './run-starts.ts';
import { WebhookServer } from './server.ts';

/** What webhooks are taken with. */
export interface InboundParts {
  readonly kernel: Kernel<Hooks>;
  readonly service: Service;
  readonly project: Project;
  /** The other hosts, which may take and handle requests of the same plugins. @default those of the service */
  readonly peers?: Peers;
  /** @default those of `defaultLimits` */
  readonly limits?: Partial<InboundLimits>;
  /** How runs are begun that routes want. @default a run of the template, or of the day, that is wanted */
  readonly begin?: BeginRun;
}

/** Where a webhook server listens. */
export interface InboundOptions extends InboundParts {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 for any that is free. @default 9876 */
  readonly port?: number;
}

/** A webhook server at work. */
export interface Inbound {
  readonly port: number;
  readonly routes: readonly Route[];
  /** Takes no more requests, finishes those under way, a while, and what is stored of them. The service is still needed. */
  close(): Promise<void>;
}

/**
 * Handles the requests that are stored and were not handled, as a server would, without listening. Resolves when that is
 * done. Throws as `startInbound` does.
 */
export async function handleStored(parts: InboundParts): Promise<void> {
  const { backlog, close } = await openDesk(parts);
  await backlog.rest();
  await close();
}

/**
 * Takes requests for the routes of all plugins: stored, then handled, then answered. Throws WEBHOOK_INVALID,
 * WEBHOOK_DUPLICATE, WEBHOOK_UNPROVEN if anybody could send to a route that asks for no proof, and PORT_TAKEN.
 */
export async function startInbound(options: InboundOptions): Promise<Inbound> {
  const { host = '127.0.0.1', port = 9876 } = options;
  const limits = { ...defaultLimits, ...options.limits };
  // Requests wait for the disk together. V8 would take those that are there when it looks for long-lived, and have the next ones made
  // where it seldom cleans up: in some processes each collection took four times as long then.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const { routes, desk, pauses, close } = await openDesk(options, (all) => mustBeProven(all, host));
  const reception = new Reception({ desk, limits, isPaused: (path) => pauses.isPaused(path) });
  const server = new WebhookServer({ routes: routes.all, reception, limits });
  try {
    const bound = await server.listen(host, port);
    return {
      port: bound,
      routes: routes.all,
      close: async () => {
        await server.close();
        await close();
      },
    };
  } catch (cause) {
    await close();
    throw new PatchbayError('PORT_TAKEN', `cannot listen on ${host}:${port}: ${messageOf(cause)}`, { cause });
  }
}

/** Everything but the server. */
async function openDesk(parts: InboundParts, check: (routes: readonly Route[]) => void = () => {}) {
  const { kernel, service, project, peers = service.peers } = parts;
  const { ledger } = service;
  const starts = new RunStarts(parts.begin ?? beginning(service, project));
  const routes = await Routes.of(kernel, starts.start);
  check(routes.all);
  const limits = { ...defaultLimits, ...parts.limits };
  const desk = new Desk({ service, routes, starts, limits, areMany: peers.areMany });
  let backlog: Backlog | undefined;
  const pauses = await PauseWatch.open(ledger, project.dir, () => backlog?.look());
  const isPaused = (path: string) => pauses.isPaused(path);
  backlog = new Backlog({ ledger, routes, desk, peers, leaseMs: limits.leaseMs, isPaused });
  const close = async () => {
    await pauses.close();
    await backlog.close();
    await desk.close();
  };
  return { routes, desk, pauses, backlog, close };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function mustBeProven(routes: readonly Route[], host: string): void {
  const open = isLoopback(host) ? undefined : routes.find(({ proof }) => proof.scheme === 'none');
  if (open === undefined) return;
  const { path, plugin } = open;
  const message = `webhook ${path} of plugin "${plugin}" asks for no proof of who sends, and ${host} can be reached from elsewhere`;
  throw new PatchbayError('WEBHOOK_UNPROVEN', message, { plugin, field: 'proof' });
}
