import { hash } from 'node:crypto';
import { type Hooks, messageOf, PatchbayError, type Webhook, type WebhookProof } from 'patchbay-sdk';
import { type Entry, type Kernel, newRecord } from '../kernel/index.ts';
import type { Scheme } from './proof/scheme.ts';
import { schemeOf } from './proof/schemes.ts';
import type { StartRun } from './run-starts.ts';

/** A path on which requests are taken, and who handles them. */
export interface Route {
  readonly path: string;
  readonly plugin: string;
  /** What the ids of its requests begin with. */
  readonly mark: string;
  readonly proof: WebhookProof;
  readonly scheme: Scheme;
  /** Throws, or rejects, as the plugin does. */
  handle: Webhook['handle'];
}

const segments = /^(?:\/[A-Za-z0-9._~-]+)+$/;

/** The routes of all plugins, by path. */
export class Routes {
  readonly #byPath = new Map<string, Route>();
  readonly #entries = new Map<string, Entry>();
  readonly #kernel: Kernel<Hooks>;
  readonly #startRun: StartRun;

  private constructor(kernel: Kernel<Hooks>, startRun: StartRun) {
    this.#kernel = kernel;
    this.#startRun = startRun;
  }

  /**
   * Asks all plugins. One that fails has no routes; the kernel has told of that. Throws WEBHOOK_INVALID and
   * WEBHOOK_DUPLICATE.
   */
  static async of(kernel: Kernel<Hooks>, startRun: StartRun): Promise<Routes> {
    const routes = new Routes(kernel, startRun);
    for (const entry of kernel.hook('webhooks').handlers()) {
      for (const webhook of await routes.#ask(entry)) routes.#add(entry, webhook);
    }
    return routes;
  }

  /** In the order in which plugins are asked. */
  get all(): readonly Route[] {
    return [...this.#byPath.values()];
  }

  /** The route on a path. */
  at(path: string): Route | undefined {
    return this.#byPath.get(path);
  }

  /** Asks a plugin anew: the functions that it gave have ended with its process. */
  async renew({ path, plugin }: Route): Promise<void> {
    const entry = this.#entries.get(path);
    if (entry === undefined || !this.#kernel.has(plugin)) return;
    for (const webhook of await this.#ask(entry)) {
      const route = this.#byPath.get(webhook.path);
      if (route?.plugin === plugin) route.handle = (request) => webhook.handle(request);
    }
  }

  async #ask(entry: Entry): Promise<readonly Webhook[]> {
    const record = newRecord();
    const hook = this.#kernel.hook('webhooks');
    await hook.callOne(entry, { startRun: this.#startRun }, { record }, () => () => {});
    return record.answers.flatMap(({ answer }) => answer as Webhook[]);
  }

  #add(entry: Entry, webhook: Webhook): void {
    const { plugin } = entry;
    const { path, proof = { scheme: 'none' } } = webhook;
    const other = this.#byPath.get(path);
    if (other !== undefined) {
      const message = `plugins "${other.plugin}" and "${plugin}" both want the requests on ${path}`;
      throw new PatchbayError('WEBHOOK_DUPLICATE', message, { plugin, field: 'path' });
    }
    const invalid = (what: string, field: string) =>
      new PatchbayError('WEBHOOK_INVALID', `plugin "${plugin}", webhook "${path}": ${what}`, { plugin, field });
    if (!segments.test(path) || path.length > 256) {
      throw invalid('a path is / and letters, digits and ._~- between slashes', 'path');
    }
    if (proof.scheme !== 'none' && (proof.secrets.length === 0 || proof.secrets.some((secret) => secret === ''))) {
      throw invalid('needs secrets, none of them empty', 'proof.secrets');
    }
    let scheme: Scheme;
    try {
      scheme = schemeOf(proof);
    } catch (error) {
      throw invalid(`has a secret that is none for "${proof.scheme}": ${messageOf(error)}`, 'proof.secrets');
    }
    const mark = hash('sha256', path).slice(0, 12);
    this.#byPath.set(path, { path, plugin, mark, proof, scheme, handle: (request) => webhook.handle(request) });
    this.#entries.set(path, entry);
  }
}
