import { type Log, suggestion } from 'patchbay-sdk';
import type { PaceSettings } from '../../config/pace.ts';
import { resolveReferences } from '../../config/references.ts';
import { readSigning } from '../../config/signing.ts';
import { type Found, granted } from '../../install/discover.ts';
import { linked } from '../../install/lock.ts';
import { type Rights, rightsOf } from '../../outbound/sending/rights.ts';
import { isolate, type Loaded } from '../isolated.ts';
import type { Tools } from '../packaged.ts';
import { adapt } from './adapt.ts';
import type { Dependency } from './dependencies.ts';
import { entriesOf, type PaceEntry, type Part, partsOf } from './entry.ts';
import type { LocalPlugin } from './folders.ts';
import { kernelName } from './names.ts';
import { viewed } from './viewed.ts';
import type { Views } from './views.ts';

/** What plugins of PACE are made ready with. */
export interface PaceParts {
  /** Null in a project without PACE's settings: installed packages may bring entries all the same. */
  readonly settings: PaceSettings | null;
  readonly tools: Tools;
  readonly cacheDir: string;
  readonly logOf: (plugin: string, secrets?: readonly string[]) => Log;
  readonly views: Views;
}

/** A plugin of PACE that is ready, with what the host must know to speak for it. */
export interface LoadedPace extends Loaded {
  readonly secrets: readonly string[];
  readonly rights: Rights;
}

/** How an entry is to be run. */
interface Running {
  readonly dir: string;
  readonly trusted: boolean;
  readonly grants: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
  readonly signing: readonly string[];
  readonly integrity: string | null;
}

/** Makes plugins of PACE ready, one for each entry, and knows which entries there were. */
export class PaceLoader {
  readonly #parts: PaceParts;
  readonly #entries = new Set<string>();

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  /** Whether an entry is to be run: not if it is switched off. It counts as being there in any case. */
  wants(entry: string): boolean {
    this.#entries.add(entry);
    return !this.#parts.settings?.disabled.includes(entry);
  }

  /** The plugin of an entry of a dependency of the project. Throws what is wrong with it. */
  dependency(one: Dependency): Promise<LoadedPace> {
    const { settings, tools } = this.#parts;
    const grants = settings?.grants[one.entry] ?? [];
    const env = granted(grants, tools.env);
    return this.#load(one, {
      dir: one.dir,
      trusted: settings?.trusted.includes(one.entry) === true,
      // What it needs of others stands beside it.
      grants: [...grants, 'read:node_modules'],
      env,
      config: {},
      secrets: Object.values(env),
      signing: [],
      integrity: null,
    });
  }

  /** The plugins of all entries of an installed package, all of them or none. Throws what is wrong with one. */
  async installed(found: Found): Promise<LoadedPace[]> {
    const { dir, entry, trusted, env, config, secrets } = found;
    const integrity = entry.integrity === linked ? null : entry.integrity;
    const wanted = entriesOf(dir, found.manifest).filter((one) => this.wants(one.entry));
    const loading = wanted.map((one) =>
      this.#load(one, {
        dir,
        trusted: trusted || this.#parts.settings?.trusted.includes(one.entry) === true,
        grants: entry.grants,
        env,
        config,
        secrets,
        signing: found.signing,
        integrity,
      }),
    );
    const loaded = await Promise.allSettled(loading);
    const failed = loaded.find((one) => one.status === 'rejected');
    const ready = loaded.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (failed === undefined) return ready;
    await Promise.allSettled(ready.map((one) => one.close()));
    throw failed.reason;
  }

  /** A plugin of a folder of the project. Throws what is wrong with it. */
  local({ entry, parts }: LocalPlugin): LoadedPace {
    const { settings } = this.#parts;
    const { config, secrets } = this.#configOf(entry, {});
    const rights = this.#rightsOf(entry, { grants: settings?.grants[entry] ?? [], own: true, signing: [], secrets });
    return { ...this.#inProcess(entry, parts, config, secrets), secrets, rights };
  }

  /** What the settings say of entries that there are none of. */
  unmatched(): string[] {
    const { settings } = this.#parts;
    if (settings === null) return [];
    const known = [...this.#entries];
    const named = [
      ...Object.keys(settings.config).map((entry) => ['config', entry] as const),
      ...Object.keys(settings.grants).map((entry) => ['grants', entry] as const),
      ...Object.keys(settings.signing).map((entry) => ['signing', entry] as const),
      ...settings.trusted.map((entry) => ['trusted', entry] as const),
    ];
    return named
      .filter(([, entry]) => !this.#entries.has(entry))
      .map(([field, entry]) => {
        return `${settings.file}: "plugins.${field}.${entry}" is for no plugin that there is; ${suggestion(entry, known)}`;
      });
  }

  async #load(one: PaceEntry, running: Running): Promise<LoadedPace> {
    const { views, tools, cacheDir, logOf } = this.#parts;
    const { entry, targets } = one;
    const own = this.#configOf(entry, running.config);
    const secrets = [...running.secrets, ...own.secrets];
    const { dir, grants, env, signing, integrity } = running;
    const rights = this.#rightsOf(entry, { grants, own: false, signing, secrets });
    if (running.trusted) return { ...this.#inProcess(entry, await partsOf(one), own.config, secrets), secrets, rights };
    const name = kernelName(entry);
    const wanted = { name, module: targets[0].file, pace: one, dir, config: own.config, grants, env, integrity };
    const loaded = await isolate(wanted, { tools, cacheDir, log: logOf(name, secrets) });
    try {
      return { ...loaded, registration: viewed(loaded.registration, views), secrets, rights };
    } catch (error) {
      await loaded.close().catch(() => {});
      throw error;
    }
  }

  #inProcess(entry: string, parts: readonly Part[], config: unknown, secrets: readonly string[]): Loaded {
    const { views, logOf } = this.#parts;
    const name = kernelName(entry);
    const { handlers, warnings } = adapt(entry, parts, config);
    const registration = viewed({ name, handlers, config, log: logOf(name, secrets) }, views);
    return { registration, warnings, close: async () => {} };
  }

  /** The keys of the settings come before those that the package was installed with. */
  #rightsOf(entry: string, of: Parameters<typeof rightsOf>[0]): Rights {
    const { settings, tools } = this.#parts;
    const signing = readSigning(entry, settings?.signing[entry], tools.env);
    const all = { signing: [...signing, ...of.signing], secrets: [...signing, ...of.secrets] };
    return rightsOf({ ...of, ...all }, tools.env);
  }

  #configOf(entry: string, below: Readonly<Record<string, unknown>>) {
    const { settings, tools } = this.#parts;
    const { config, secrets } = resolveReferences(entry, settings?.config[entry] ?? {}, tools.env);
    return { config: { ...below, ...config }, secrets };
  }
}
