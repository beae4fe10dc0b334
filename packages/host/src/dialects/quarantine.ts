import type { EventPayload, Hooks } from 'patchbay-sdk';
import { changedSince, type Discovered, type Quarantined } from '../install/discover.ts';
import type { Kernel } from '../kernel/index.ts';
import { newEvent } from '../ledger/index.ts';
import { standIn } from './guards.ts';

/** What quarantining needs of the host. */
export interface QuarantineParts {
  readonly kernel: Kernel<Hooks>;
  readonly plugins: Discovered;
  readonly emit: (event: EventPayload<'plugin:quarantined'>) => Promise<unknown>;
}

/** Takes plugins out whose files change while the host is at work, by whomever. */
export class Quarantine {
  readonly #parts: QuarantineParts;
  readonly #out = new Set<string>();
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
  }

  /** Looks whether the files of all plugins are those that the host began with. Resolves when what is not is out. */
  look(): Promise<void> {
    const looked = this.#looking.then(() => this.#look());
    this.#looking = looked.catch(() => {});
    return looked;
  }

  async #look(): Promise<void> {
    for (const found of this.#parts.plugins.found) {
      const changed = this.#out.has(found.name) ? undefined : await changedSince(found);
      if (changed !== undefined) await this.#takeOut(changed);
    }
  }

  async #takeOut(changed: Quarantined): Promise<void> {
    const { kernel, emit } = this.#parts;
    const { name, version, reason, fix } = changed;
    this.#out.add(name);
    // Its handlers are gone at once, and others in their place before anybody could be asked.
    const gone = kernel.has(name) ? kernel.unregister(name) : undefined;
    standIn(kernel, changed);
    await emit(newEvent('plugin:quarantined', { plugin: name, version, reason: `${reason}; ${fix}` }));
    await gone;
  }
}
