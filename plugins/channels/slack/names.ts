import type { WebClient } from '@slack/web-api';

/** A name may change: it is asked for again after this. */
const keptMs = 60 * 60_000;
const most = 5_000;

/** What people and conversations are called. What Slack does not tell is called by its id. */
export class Names {
  readonly #web: WebClient;
  readonly #kept = new Map<string, { readonly name: Promise<string>; readonly until: number }>();

  constructor(web: WebClient) {
    this.#web = web;
  }

  /** Never rejects. */
  ofUser(user: string): Promise<string> {
    return this.#of(user, async () => {
      const { user: known } = await this.#web.users.info({ user });
      return known?.profile?.display_name || known?.profile?.real_name || known?.real_name || known?.name;
    });
  }

  /** Never rejects. */
  ofConversation(channel: string): Promise<string> {
    return this.#of(channel, async () => {
      const { channel: known } = await this.#web.conversations.info({ channel });
      // A direct message has no name, but somebody whom it is with.
      const { user } = (known ?? {}) as { user?: string };
      return user === undefined ? known?.name : this.ofUser(user);
    });
  }

  #of(id: string, ask: () => Promise<string | undefined>): Promise<string> {
    const kept = this.#kept.get(id);
    if (kept !== undefined && kept.until > Date.now()) return kept.name;
    if (this.#kept.size >= most) this.#kept.clear();
    const name = ask().then(
      (found) => found || id,
      () => {
        this.#kept.delete(id);
        return id;
      },
    );
    this.#kept.set(id, { name, until: Date.now() + keptMs });
    return name;
  }
}
