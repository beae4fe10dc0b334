const most = 1_000;

/**
 * What is being sent, or was and did not arrive whole. The host tries again what it has given up waiting for: that goes on where
 * the last try ended, and never runs beside it.
 */
export class Unfinished<T> {
  readonly #begun = new Map<string, { readonly state: T; underWay: Promise<void> | undefined }>();

  /** Sends a text to a chat by `go`, which keeps in `state` how far it has come. Rejects as `go` does. */
  send(jid: string, text: string, { begin, go }: { begin: () => T; go: (state: T) => Promise<void> }): Promise<void> {
    const key = `${jid}\n${text}`;
    const one = this.#begun.get(key) ?? { state: begin(), underWay: undefined };
    this.#begun.set(key, one);
    one.underWay ??= go(one.state)
      .then(() => void this.#begun.delete(key))
      .finally(() => {
        one.underWay = undefined;
      });
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > most && oldest !== undefined) this.#begun.delete(oldest);
    return one.underWay;
  }
}
