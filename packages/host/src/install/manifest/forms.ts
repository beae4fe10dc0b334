import type { Schema } from 'patchbay-sdk';
import type * as z from 'zod/mini';
import { asked, implied } from './grants.ts';
import type { Manifest, ManifestHandler } from './manifest-type.ts';
import {
  type declaredHandler,
  documentForm,
  packageForm,
  phases,
  portableForm,
  shippedForm,
  timeouts,
} from './schemas.ts';

/** A form of manifest: the schema that a value must fit, and what it then says. */
export interface Form {
  readonly schema: Schema;
  /** Only for values that fit. `files` are those of the package that must exist, by the path that names them. */
  read(value: unknown): {
    readonly manifest: Omit<Manifest, 'file' | 'warnings'>;
    readonly files: Record<string, string>;
  };
}

/** The form of a manifest, by the name of its file and what is in it; undefined if it is no manifest at all. */
export function formOf(fileName: string, value: unknown): Form | undefined {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  switch (fileName) {
    case 'agentxchain-plugin.json':
      return isObject(fields['hooks']) ? shipped : document;
    case 'plugin.json':
      return portable;
    default:
      return 'pace' in fields || 'pynchy' in fields ? packaged : undefined;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function handlerOf(declared: z.output<typeof declaredHandler>): ManifestHandler {
  const { event, timeout_ms: timeoutMs = timeouts.usual } = declared;
  if (declared.type === 'script') return { event, timeoutMs, type: 'script', run: declared.run };
  return { event, timeoutMs, type: 'http', url: declared.url, headers: declared.headers ?? {} };
}

function scriptsOf(declared: readonly z.output<typeof declaredHandler>[], path: string): Record<string, string> {
  const scripts = declared.flatMap((handler, i) =>
    handler.type === 'script' ? [[`${path}[${i}].run`, handler.run] as const] : [],
  );
  return Object.fromEntries(scripts);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

const document: Form = {
  schema: documentForm,
  read(value) {
    const { name, version, description, license, hooks: declared, config_schema } = documentForm.parse(value);
    return {
      manifest: {
        form: 'agentxchain',
        name,
        version,
        description,
        license,
        handlers: declared.map(handlerOf),
        hooks: unique(declared.map(({ event }) => event)),
        entries: {},
        configSchema: config_schema,
        asks: unique(implied(declared)).sort(),
      },
      files: scriptsOf(declared, 'hooks'),
    };
  },
};

const shipped: Form = {
  schema: shippedForm,
  read(value) {
    const { name, version, description = '', license, hooks: byPhase, config_schema } = shippedForm.parse(value);
    const handlers = Object.entries(byPhase).flatMap(([phase, processes]) =>
      (processes ?? []).map(({ name, command, mode, timeout_ms = timeouts.usual }): ManifestHandler => {
        const known = phase as keyof typeof phases;
        const blocking = mode === 'blocking';
        return { type: 'process', event: phases[known], phase: known, name, command, blocking, timeoutMs: timeout_ms };
      }),
    );
    const files = Object.entries(byPhase).flatMap(([phase, processes]) =>
      (processes ?? []).flatMap(({ command }, i) =>
        command.flatMap((word, k) =>
          /^\.\.?\//.test(word) ? [[`hooks.${phase}[${i}].command[${k}]`, word] as const] : [],
        ),
      ),
    );
    const blocks = handlers.filter((handler) => handler.type === 'process' && handler.blocking);
    return {
      manifest: {
        form: 'agentxchain-0.1',
        name,
        version,
        description,
        license,
        handlers,
        hooks: unique(handlers.map(({ event }) => event)),
        entries: {},
        configSchema: config_schema,
        asks: unique(blocks.map(({ event }) => `block:${event}`)).sort(),
      },
      files: Object.fromEntries(files),
    };
  },
};

const portable: Form = {
  schema: portableForm,
  read(value) {
    const { name, version = '0.0.0', description = '', license, extensions } = portableForm.parse(value);
    const part = extensions?.['dev.patchbay'] ?? {};
    const all = part.hooks ?? [];
    const declared = all.filter((hook) => typeof hook !== 'string');
    const module = part.module === undefined ? {} : { 'extensions.dev.patchbay.module': part.module };
    return {
      manifest: {
        form: 'portable',
        name,
        version,
        description,
        license,
        handlers: declared.map(handlerOf),
        hooks: unique(all.map((hook) => (typeof hook === 'string' ? hook : hook.event))),
        entries: part.module === undefined ? {} : { plugin: part.module },
        configSchema: part.config_schema,
        asks: unique([...asked(part.permissions), ...implied(declared)]).sort(),
      },
      files: { ...module, ...scriptsOf(declared, 'extensions.dev.patchbay.hooks') },
    };
  },
};

const packaged: Form = {
  schema: packageForm,
  read(value) {
    const { name, version, description = '', license, pace = {}, pynchy } = packageForm.parse(value);
    const groups = Object.entries(pace).flatMap(([group, entries]) =>
      Object.entries(entries ?? {}).map(([entry, target]) => [`pace.${group}.${entry}`, target] as const),
    );
    const entries = Object.fromEntries([...groups, ...(pynchy === undefined ? [] : [['pynchy', pynchy] as const])]);
    const files = Object.entries(entries).map(([path, target]) => [path, target.split('#')[0] ?? ''] as const);
    return {
      manifest: {
        form: 'package',
        name,
        version,
        description,
        license,
        handlers: [],
        hooks: [],
        entries,
        configSchema: undefined,
        asks: [],
      },
      files: Object.fromEntries(files),
    };
  },
};
