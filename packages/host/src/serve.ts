import type { Hooks } from 'patchbay-sdk';
import { type ApiOptions, apiToken, startApi } from './api/index.ts';
import { serveAssistant } from './assistant/serve.ts';
import { sayServing } from './config/holder.ts';
import type { Project } from './config/project.ts';
import { apiTokenFile, stateDir } from './config/state.ts';
import { Duty } from './hosts/duty.ts';
import { type Inbound, startInbound } from './inbound/index.ts';
import type { Kernel } from './kernel/index.ts';
import { Foreman, usualAtOnce } from './runs/foreman.ts';
import { type Trouble, writeTroubles } from './runs/trouble.ts';
import type { Service } from './service.ts';

/** How a host serves. */
export interface ServeOptions {
  /** The address that API and webhooks are reached at. @default 127.0.0.1 */
  readonly host?: string;
  /** That of the API; 0 for any that is free. @default 4780 */
  readonly port?: number;
  /** That of webhooks; 0 for any that is free. @default what the PACE project says, else 9876 */
  readonly webhookPort?: number;
  /** What other hosts on the same database call it. @default that of the machine */
  readonly name?: string;
  /** How many runs go on at once. @default 4 */
  readonly runsAtOnce?: number;
  /** How much the API takes. @default `usualLimits` */
  readonly limits?: ApiOptions['limits'];
  /** Hears that a run cannot be carried on for now. @default nobody does */
  readonly troubled?: (message: string) => void;
  /** Hears what is wrong on the assistant side. @default nobody does */
  readonly warn?: (message: string) => void;
}

/** A host that serves. */
export interface Served {
  /** Where the API is. */
  readonly api: string;
  /** Where webhooks are taken. */
  readonly webhooks: string;
  /** The file that holds the token of the API. */
  readonly tokenFile: string;
  /** What it works with. */
  readonly service: Service;
  /** Takes no more requests, and stops the runs under way; the next host goes on with them. The service is still needed. */
  close(): Promise<void>;
}

/** What a host serves with. */
export interface ServeParts {
  readonly kernel: Kernel<Hooks>;
  readonly project: Project;
  readonly service: Service;
}

/**
 * Carries on all runs of a project as they become ready, takes webhooks, and answers the API. Throws PORT_TAKEN, PROJECT_WRITE,
 * and what may be wrong with webhooks.
 */
export async function serveProject(parts: ServeParts, options: ServeOptions = {}): Promise<Served> {
  const { project, service } = parts;
  const { host = '127.0.0.1', port = 4780, webhookPort = project.pace?.webhookPort ?? 9876 } = options;
  const state = stateDir(project.dir);
  const { peers } = service;
  const atOnce = options.runsAtOnce ?? usualAtOnce;
  const foreman = new Foreman({
    ...service,
    atOnce,
    troubled: (troubles, latest) => {
      showTroubles(state, troubles);
      if (latest !== undefined) options.troubled?.(troubleLine(latest));
    },
  });
  let inbound: Inbound | undefined;
  const warn = options.warn ?? (() => {});
  const assistant = new Duty({ peers, key: 'assistant', warn, begin: () => serveAssistant({ ...parts, warn }) });
  try {
    await assistant.start();
    inbound = await startInbound({ ...parts, host, port: webhookPort });
    const webhooks = inbound.routes.map(({ path, plugin, proof }) => ({ path, plugin, scheme: proof.scheme }));
    const limits = options.limits === undefined ? {} : { limits: options.limits };
    const api = await startApi(
      { ...parts, foreman, webhooks, mcp: service.surroundings.mcp, assistant: () => assistant.done?.assistant },
      { host, port, token: apiToken(project.dir), ...limits },
    );
    const taking = inbound;
    // Only now: nothing is begun where something else is wrong.
    foreman.start();
    sayServing(state, api.url);
    await peers.say({
      ...(options.name === undefined ? {} : { name: options.name }),
      serving: true,
      api: api.url,
      atOnce,
    });
    return {
      api: api.url,
      webhooks: `${new URL(api.url).protocol}//${new URL(api.url).hostname}:${taking.port}`,
      tokenFile: apiTokenFile(project.dir),
      service,
      close: async () => {
        await Promise.all([api.close(), taking.close(), foreman.close(), assistant.close()]);
      },
    };
  } catch (error) {
    await Promise.all([inbound?.close(), assistant.close()]);
    throw error;
  }
}

function troubleLine({ run_id, message, next_at }: Trouble): string {
  return `${run_id}: ${message}${next_at === null ? '' : `; tried again at ${next_at}`}`;
}

/** What is wrong may well be that nothing can be written. */
function showTroubles(state: string, troubles: readonly Trouble[]): void {
  try {
    writeTroubles(state, troubles);
  } catch {
    // The API tells them too.
  }
}
