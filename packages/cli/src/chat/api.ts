import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiTokenFile, holderOf, stateDir } from 'patchbay-host';
import { type ErrorCode, messageOf, PatchbayError } from 'patchbay-sdk';

/** Where a host is, and what it is asked with. */
export interface Place {
  readonly url: string;
  readonly token: string;
}
/** Where the host of a project is now; undefined if none serves. */
export type Locate = () => Place | undefined;

/** Something that was said in a chat. */
export interface Said {
  readonly event_id: string;
  readonly sender_name: string;
  readonly content: string;
  readonly is_bot: boolean;
  readonly at: string;
}

/** A call of a tool that waits for a person. */
export interface Pending {
  readonly approval_id: string;
  readonly tool: string;
  readonly workspace: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expires_at: string | null;
}

/** Nobody answers: the host is not there, or not there any more. */
export class HostGone extends Error {}

/** Whether something ended because the user leaves. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

const againMs = 250;
const callMs = 30_000;

/** Finds the host of a project, wherever it was started. */
export function locating(project: string): Locate {
  return () => {
    const url = holderOf(stateDir(project))?.api;
    if (url === null || url === undefined) return undefined;
    try {
      return { url, token: readFileSync(apiTokenFile(project), 'utf8').trim() };
    } catch {
      return undefined;
    }
  };
}

/** Does something as soon as the host is there. Rejects as it does otherwise, or when the signal is aborted. */
export async function patiently<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  while (true) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof HostGone)) throw error;
      await sleep(againMs, undefined, { signal });
    }
  }
}

/** The host, as it is reached by its API. What it does not take is thrown as the error that it says; HostGone if it is not there. */
export class ChatApi {
  readonly #locate: Locate;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  /** The workspaces that can be talked with. */
  async workspaces(): Promise<string[]> {
    const { items } = await this.call<{ items: readonly { readonly workspace: string }[] }>('GET', '/chats');
    return items.map(({ workspace }) => workspace);
  }

  /** The same message, by its id, is said once however often this is called. */
  async say(workspace: string, message: { text: string; sender: string; message_id: string }): Promise<void> {
    await this.call('POST', `/chats/${encodeURIComponent(workspace)}/messages`, message);
  }

  /** The last that was said, the oldest first. */
  async history(workspace: string, limit: number): Promise<readonly Said[]> {
    const path = `/chats/${encodeURIComponent(workspace)}/messages?limit=${limit}`;
    return (await this.call<{ items: readonly Said[] }>('GET', path)).items;
  }

  async clear(workspace: string): Promise<void> {
    await this.call('DELETE', `/chats/${encodeURIComponent(workspace)}/messages`);
  }

  /** What waits in a workspace for a person. */
  async pending(workspace: string): Promise<readonly Pending[]> {
    const { items } = await this.call<{ items: readonly Pending[] }>('GET', '/approvals');
    return items.filter((one) => one.workspace === workspace);
  }

  async decide(id: string, decision: 'approved' | 'refused', by: string, comment: string | null): Promise<void> {
    const body = { decision, by, ...(comment === null ? {} : { comment }) };
    await this.call('POST', `/approvals/${encodeURIComponent(id)}`, body);
  }

  /** The place of the last event. */
  async lastSeq(): Promise<number> {
    const { items } = await this.call<{ items: readonly { readonly seq: number }[] }>('GET', '/events?limit=1');
    return items[0]?.seq ?? 0;
  }

  /** What happens from a place on, as server-sent events. */
  async stream(afterSeq: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(afterSeq) };
    const { body } = await this.#fetch('/events/stream', { headers, signal });
    if (body === null) throw new HostGone('the stream is empty');
    return body as ReadableStream<Uint8Array>;
  }

  /** Any call; gives what it answers. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.#fetch(path, {
      method,
      signal: AbortSignal.timeout(callMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text().catch((error) => {
      throw new HostGone(messageOf(error));
    });
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async #fetch(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    const place = this.#locate();
    if (place === undefined) throw new HostGone('no host serves');
    const headers = { ...init.headers, authorization: `Bearer ${place.token}` };
    const response = await fetch(`${place.url}/api/v1${path}`, { ...init, headers }).catch((error) => {
      throw new HostGone(messageOf(error));
    });
    // It is about to end, or has just been started.
    if (response.status === 503) throw new HostGone('the host is busy');
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}

async function problemOf(response: Response): Promise<PatchbayError> {
  const said = (await response.json().catch(() => ({}))) as {
    error?: { code?: string; message?: string; hint?: string };
  };
  const { code = 'INTERNAL', message = `the host answered ${response.status}`, hint } = said.error ?? {};
  return new PatchbayError(code as ErrorCode, message, hint === undefined ? {} : { hint });
}
