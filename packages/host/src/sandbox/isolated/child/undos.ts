import { messageOf } from 'patchbay-sdk';

type Undo = () => void | Promise<void>;

/** What the plugin wants undone when it goes. */
export class Undos {
  readonly #undos: Undo[] = [];
  readonly #first: () => void;

  /** `first` hears when there is something to undo for the first time. */
  constructor(first: () => void) {
    this.#first = first;
  }

  readonly defer = (undo: Undo): void => {
    if (this.#undos.push(undo) === 1) this.#first();
  };

  /** Undoes all, the last first. Gives what went wrong; that stops nothing. */
  async run(): Promise<string[]> {
    const failures: string[] = [];
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) {
      try {
        await undo();
      } catch (thrown) {
        failures.push(messageOf(thrown));
      }
    }
    return failures;
  }
}
