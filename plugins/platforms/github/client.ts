import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from 'patchbay-sdk';
import type { GitHubSettings } from './settings.ts';

/** A refusal, with what GitHub says. */
export class GitHubError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What is asked of GitHub. */
export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly body?: unknown;
  /** What the token must be allowed for this, as GitHub calls it. */
  readonly permission: string;
}

const timeoutMs = 15_000;
/** So often a request is made again when GitHub has trouble or is asked too often. */
const tries = 4;
/** No limit is waited for longer than this. */
const mostWaitMs = 60_000;
const mostPages = 20;

/** Requests to one repository. */
export class GitHubClient {
  readonly #settings: GitHubSettings;
  readonly #wait: (ms: number) => Promise<unknown>;

  /** @param wait waits between tries. @default a timer */
  constructor(settings: GitHubSettings, wait: (ms: number) => Promise<unknown> = sleep) {
    this.#settings = settings;
    this.#wait = wait;
  }

  /** The answer, as JSON. Throws a GitHubError, or an Error if GitHub cannot be reached. */
  async ask(path: string, ask: Ask): Promise<unknown> {
    const { json } = await this.#request(`${this.#settings.api}/repos/${this.#settings.repository}${path}`, ask);
    return json;
  }

  /** The items of all pages. */
  async all(path: string, ask: Ask, itemsOf: (json: unknown) => readonly unknown[]): Promise<unknown[]> {
    const items: unknown[] = [];
    let url: string | undefined = `${this.#settings.api}/repos/${this.#settings.repository}${path}`;
    for (let page = 0; url !== undefined && page < mostPages; page++) {
      const { json, link }: { json: unknown; link: string | null } = await this.#request(url, ask);
      items.push(...itemsOf(json));
      url = this.#next(link);
    }
    return items;
  }

  /** The address of the page after; only where the token goes anyway. */
  #next(link: string | null): string | undefined {
    const [, url] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? [];
    return url?.startsWith(`${this.#settings.api}/`) ? url : undefined;
  }

  async #request(url: string, ask: Ask): Promise<{ json: unknown; link: string | null }> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(url, ask);
      const text = await answer.text();
      if (answer.ok) return { json: text === '' ? null : JSON.parse(text), link: answer.headers.get('link') };
      const waitMs = attempt < tries ? waitOf(answer, attempt) : undefined;
      if (waitMs === undefined) throw this.#refusal(answer, text, ask);
      await this.#wait(waitMs);
    }
  }

  async #send(url: string, { method = 'GET', body }: Ask): Promise<Response> {
    const { token } = this.#settings;
    try {
      return await fetch(url, {
        method,
        headers: {
          accept: 'application/vnd.github+json',
          authorization: `Bearer ${token}`,
          'user-agent': 'patchbay',
          'x-github-api-version': '2022-11-28',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      const cause = (error as Error).cause;
      throw new Error(`GitHub cannot be reached at ${this.#settings.api}: ${messageOf(cause ?? error)}`, {
        cause: error,
      });
    }
  }

  #refusal({ status }: Response, text: string, { permission }: Ask): GitHubError {
    const { repository, tokenName } = this.#settings;
    const said = saidIn(text);
    switch (status) {
      case 401:
        return new GitHubError(status, `GitHub does not accept the token in ${tokenName}: ${said}`);
      case 403:
        return new GitHubError(status, `the token in ${tokenName} needs "${permission}" for ${repository}: ${said}`);
      case 404:
        return new GitHubError(
          status,
          `GitHub has no such thing in ${repository}, or the token in ${tokenName} may not see it (it needs "${permission}")`,
        );
      default:
        return new GitHubError(status, `GitHub answered ${status}: ${said}`);
    }
  }
}

/** How long to wait before asking again; undefined where that is no use. */
function waitOf({ status, headers }: Response, attempt: number): number | undefined {
  const after = Number(headers.get('retry-after'));
  const isLimited = status === 429 || (status === 403 && (after > 0 || headers.get('x-ratelimit-remaining') === '0'));
  if (!isLimited && status < 500) return undefined;
  const reset = Number(headers.get('x-ratelimit-reset')) * 1000 - Date.now();
  const asked = after > 0 ? after * 1000 : isLimited && reset > 0 ? reset : 1000 * 2 ** (attempt - 1);
  return asked > mostWaitMs ? undefined : asked;
}

function saidIn(text: string): string {
  try {
    const { message, errors } = JSON.parse(text) as {
      message?: string;
      errors?: { message?: string; code?: string }[];
    };
    const details = (errors ?? []).map((one) => one.message ?? one.code ?? '').filter((one) => one !== '');
    return [message ?? 'without a reason', ...details].join('; ');
  } catch {
    return text.slice(0, 200) || 'without a reason';
  }
}
