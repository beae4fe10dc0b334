import { messageOf, PatchbayError } from 'patchbay-sdk';
import type { Entry } from './entry.ts';

type Undo = () => void | Promise<void>;

/**
 * Everything a plugin has put into the host. Disposing it takes all of it out again, the last thing first; doing so
 * twice does nothing more. `using` and `await using` work on it.
 */
export class Scope implements Disposable, AsyncDisposable {
  readonly plugin: string;
  readonly entries: ReadonlySet<Entry>;
  readonly #remove: () => void;
  readonly #failed: (failure: PatchbayError) => void;
  readonly #undos: Undo[] = [];
  #disposed: Promise<void> | undefined;

  constructor(
    plugin: string,
    entries: ReadonlySet<Entry>,
    remove: () => void,
    failed: (failure: PatchbayError) => void,
  ) {
    this.plugin = plugin;
    this.entries = entries;
    this.#remove = remove;
    this.#failed = failed;
  }

  /** Whether it is still in the host. */
  get live(): boolean {
    return this.#disposed === undefined;
  }

  /** Have `undo` called when the plugin goes; at once, if it is already gone. */
  defer(undo: Undo): void {
    if (this.live) this.#undos.push(undo);
    else this.#disposed = Promise.all([this.#disposed, this.#undo(undo)]).then(() => {});
  }

  /**
   * Takes the plugin out. Its handlers are gone when this returns; the promise is kept when what it deferred has been
   * undone. What fails there is told as the plugin's failure and stops nothing.
   */
  dispose(): Promise<void> {
    if (this.#disposed !== undefined) return this.#disposed;
    // Known as disposed before anything is undone: an undo may come back here.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#disposed = promise;
    void this.#dispose().then(resolve);
    return promise;
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #dispose(): Promise<void> {
    this.#remove();
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) await this.#undo(undo);
  }

  async #undo(undo: Undo): Promise<void> {
    try {
      await undo();
    } catch (thrown) {
      const { plugin } = this;
      const message = `plugin "${plugin}" failed to clean up: ${messageOf(thrown)}`;
      this.#failed(new PatchbayError('HANDLER_FAILED', message, { plugin, cause: thrown }));
    }
  }
}
