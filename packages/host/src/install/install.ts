import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { wantedBy } from './dependencies/wanted.ts';
import { parseSource, type Staged, type StageOptions, sourceText, stage } from './fetch/index.ts';
import { integrityOf } from './integrity.ts';
import { type LockEntry, linked, lockText } from './lock.ts';
import { readManifest } from './manifest/manifest.ts';
import type { Manifest } from './manifest/manifest-type.ts';
import { changing, demand, folderOf, type State } from './project-state.ts';
import { withPlugin } from './registration.ts';
import { commit } from './transaction.ts';

/** How a plugin is brought in. */
export interface InstallOptions extends StageOptions {
  readonly cwd: string;
  /** Replace a plugin of the same name. */
  readonly force?: boolean;
  /** What the operator lets it do, as in `net:example.com`. */
  readonly grants?: readonly string[];
  /** Let it do all that it asks for. */
  readonly yes?: boolean;
  /** Configuration to write into the project file, field by field. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** For development: a link to the folder, whose files may change, instead of a copy. */
  readonly link?: boolean;
}

/** What was brought in. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** Relative to the project. */
  readonly path: string;
  readonly source: string;
  readonly integrity: string;
  readonly hooks: readonly string[];
  readonly grants: readonly string[];
  readonly warnings: readonly string[];
}

/** Installs the plugin that a source stands for. On any error the project is as it was before. */
export function installPlugin(source: string, options: InstallOptions): Promise<Installed> {
  return changing(options.cwd, (state) =>
    bringIn(state, source, options, (manifest) => {
      const { name } = manifest;
      // A registration without a version is what people write before they install, to configure it.
      const known =
        state.registered.get(name)?.version !== undefined ||
        state.registered.get(name)?.path !== undefined ||
        Object.hasOwn(state.lock, name) ||
        existsSync(folderOf(state.home, name));
      if (known && !options.force) {
        throw new PatchbayError('PLUGIN_INSTALLED', `a plugin "${name}" is installed already`, { plugin: name });
      }
    }),
  );
}

/** Brings another version of an installed plugin, from where it came or from elsewhere. */
export function upgradePlugin(name: string, options: InstallOptions & { readonly from?: string }): Promise<Installed> {
  return changing(options.cwd, (state) => {
    demand(state, name);
    const source = options.from ?? state.lock[name]?.source;
    if (source === undefined) {
      const message = `it is not written down where plugin "${name}" came from`;
      throw new PatchbayError('SOURCE_INVALID', message, { plugin: name, hint: 'Name the source with --from.' });
    }
    return bringIn(state, source, options, (manifest) => {
      if (manifest.name === name) return;
      const message = `${source} is plugin "${manifest.name}", not "${name}"`;
      throw new PatchbayError('SOURCE_INVALID', message, { plugin: name, hint: 'Name another source with --from.' });
    });
  });
}

type Brought = Pick<Staged, 'dir' | 'source'> & { readonly resolved: { readonly exact: string } };

async function bringIn(
  state: State,
  source: string,
  options: InstallOptions,
  accept: (manifest: Manifest) => void,
): Promise<Installed> {
  // One below: the folder itself would be for this user only, and stay so where it goes.
  const into = join(mkdtempSync(join(state.home.workDir, 'stage-')), 'plugin');
  try {
    return await bringInto(into, state, source, options, accept);
  } catch (error) {
    throw error instanceof PatchbayError ? atItsSource(error, into, source) : error;
  }
}

/** What is wrong is to be mended where the plugin came from: the folder it was copied to is gone by then. */
function atItsSource(error: PatchbayError, into: string, source: string): PatchbayError {
  const own = (text: string) => text.replaceAll(into, () => source.replace(/\/+$/, ''));
  const file = error.file === undefined ? undefined : own(error.file);
  return new PatchbayError(error.code, own(error.message), { ...error, file, cause: error });
}

async function bringInto(
  into: string,
  state: State,
  source: string,
  options: InstallOptions,
  accept: (manifest: Manifest) => void,
): Promise<Installed> {
  const { home } = state;
  const staged = options.link ? linkTo(state, source, into, options) : await copied(state, source, into, options);
  const manifest = readManifest(staged.dir);
  accept(manifest);
  const { name, version, hooks } = manifest;
  const before = state.registered.get(name);
  const config = { ...before?.config, ...options.config };
  if (manifest.configSchema !== undefined) {
    // Loaded only where there is a schema: it takes as long as all the rest.
    const { checkConfig } = await import('./plugin-config.ts');
    checkConfig(name, manifest.configSchema, config);
  }
  const grants = grantsFor(manifest, state.lock[name]?.grants ?? [], options);
  const dependencies = options.link ? {} : await withDependencies(state, name, staged.dir, options);
  const integrity = options.link ? linked : await integrityOf(staged.dir);
  const entry = {
    version,
    source: staged.source,
    resolved: staged.resolved.exact,
    integrity,
    ...dependencies,
    hooks: [...hooks],
    grants: [...grants],
    installed_at: new Date().toISOString(),
  };
  const to = folderOf(home, name);
  commit(home.workDir, {
    moves: [{ from: staged.dir, to }],
    removes: [],
    writes: [
      {
        file: home.configFile,
        before: state.configText,
        text: withPlugin(home, state.configText, name, {
          version,
          enabled: before?.enabled ?? true,
          ...(options.config === undefined ? {} : { config }),
        }),
      },
      { file: home.lockFile, before: state.lockText, text: lockText({ ...state.lock, [name]: entry }) },
    ],
  });
  const path = relative(home.dir, to);
  const warnings = [...manifest.warnings, ...collisions(state, manifest)];
  return { name, version, path, source: staged.source, integrity, hooks, grants, warnings };
}

function copied({ home }: State, source: string, into: string, options: InstallOptions): Promise<Brought> {
  return stage(parseSource(source, options.cwd), into, { ...options, base: home.dir, temp: home.workDir });
}

/** Brings the packages of npm that the plugin needs into its folder, and gives what to write down of them. */
async function withDependencies(
  { home }: State,
  plugin: string,
  dir: string,
  options: InstallOptions,
): Promise<Pick<LockEntry, 'dependencies'>> {
  const wanted = wantedBy(plugin, dir);
  if (wanted === undefined) return {};
  // Loaded only where something is wanted: npm's tree builder takes longer than all the rest.
  const { addDependencies } = await import('./dependencies/dependencies.ts');
  return { dependencies: await addDependencies(dir, wanted, { ...options, plugin, temp: home.workDir }) };
}

function linkTo({ home }: State, source: string, into: string, { cwd }: InstallOptions): Brought {
  const parsed = parseSource(source, cwd);
  if (parsed.kind !== 'directory') {
    throw new PatchbayError('SOURCE_INVALID', `${source} is not a folder, and only a folder can be linked to`);
  }
  symlinkSync(parsed.path, into);
  const text = sourceText(parsed, home.dir);
  return { dir: into, source: text, resolved: { exact: text } };
}

/**
 * What the plugin may do from now on. What it was given before it need not be given again. A package.json has no place to ask:
 * what the operator gives such a package, it has.
 */
function grantsFor(
  { name, asks, form }: Manifest,
  had: readonly string[],
  { grants = [], yes }: InstallOptions,
): string[] {
  if (form === 'package') return [...new Set([...had, ...grants])].sort();
  if (yes) return [...asks];
  const missing = asks.filter((ask) => !grants.includes(ask) && !had.includes(ask));
  if (missing.length === 0) return [...asks];
  throw new PatchbayError('GRANT_MISSING', `plugin "${name}" asks for ${missing.join(', ')}`, {
    plugin: name,
    hint: `Pass ${missing.map((grant) => `--grant ${grant}`).join(' ')}, or --yes.`,
    problems: missing.map((grant) => ({ path: 'permissions', message: grant })),
  });
}

/** Two plugins on one event both fire; people should know. */
function collisions({ lock, registered }: State, { name, hooks }: Manifest): string[] {
  return hooks.flatMap((hook) => {
    const others = Object.keys(lock).filter(
      (other) => other !== name && registered.get(other)?.enabled !== false && lock[other]?.hooks.includes(hook),
    );
    return others.length === 0 ? [] : [`${hook} is also hooked by ${others.join(', ')}; all of them are called`];
  });
}
