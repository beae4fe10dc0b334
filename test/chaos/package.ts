import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files of a plugin package by their path, and what its operator configures. */
export interface Package {
  readonly files: Readonly<Record<string, string>>;
  /** May refer to the environment, as in `${NAME}`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Every handler of the suite gives up, or is given up, after about this long. */
export const timeoutMs = 300;

/** Writes a package into a folder, all of it runnable. */
export function writePackage(dir: string, { files }: Package): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
}

/** A package of the AgentXchain document's form whose script handles these events. */
export function scriptPackage(
  name: string,
  body: string,
  { events = ['run:started', 'turn:accepted'], timeout = timeoutMs, config = {} } = {},
): Package {
  const hooks = events.map((event) => ({ event, type: 'script', run: './run.sh', timeout_ms: timeout }));
  const manifest = { name, version: '1.0.0', description: 'a script', hooks };
  return {
    files: { 'agentxchain-plugin.json': JSON.stringify(manifest), 'run.sh': `#!/bin/sh\n${body}\n` },
    config,
  };
}

/** A package of the shipped 0.1 form: its process handles dispatched and accepted turns, and may block if it says so. */
export function processPackage(
  name: string,
  body: string,
  { mode = 'advisory', timeout = timeoutMs }: { mode?: 'advisory' | 'blocking'; timeout?: number } = {},
): Package {
  const handler = { type: 'process', command: ['./run.sh'], mode, timeout_ms: timeout };
  const hooks = { after_dispatch: [handler], after_acceptance: [handler] };
  const manifest = { schema_version: '0.1', name, version: '1.0.0', hooks };
  return { files: { 'agentxchain-plugin.json': JSON.stringify(manifest), 'run.sh': `#!/bin/sh\n${body}\n` } };
}

/** A package of the document's form that has an address called. */
export function httpPackage(
  name: string,
  url: string,
  {
    headers = {},
    events = ['run:started', 'turn:accepted'],
    timeout = timeoutMs,
  }: { headers?: Record<string, string>; events?: string[]; timeout?: number } = {},
): Package {
  const hooks = events.map((event) => ({ event, type: 'http', url, headers, timeout_ms: timeout }));
  const manifest = { name, version: '1.0.0', description: 'an address', hooks };
  return { files: { 'agentxchain-plugin.json': JSON.stringify(manifest) } };
}

/** What may be said of a module besides what its handler does. */
export interface ModuleOptions {
  /** Text before the plugin: imports, and what is done while it loads. */
  readonly before?: string;
  readonly events?: readonly string[];
  readonly permissions?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly configSchema?: Readonly<Record<string, unknown>>;
  readonly deadlineMs?: number;
}

/** An Agent Plugins package with a module, of which every handler has this body. */
export function modulePackage(name: string, body: string, options: ModuleOptions = {}): Package {
  const { before = '', events = ['run:started', 'turn:accepted'], permissions = {}, config, configSchema } = options;
  const spec = `{ deadlineMs: ${options.deadlineMs ?? timeoutMs}, handler }`;
  const module = `import { z } from 'patchbay-sdk/zod';
${before}
const handler = async (payload, context) => {
${body}
};
export default {
  name: '${name}',
  version: '1.0.0',
  config: z.record(z.string(), z.unknown()),
  hooks: { ${events.map((event) => `'${event}': ${spec}`).join(', ')} },
};
`;
  const part = {
    module: 'plugin.mjs',
    hooks: events,
    permissions,
    ...(configSchema === undefined ? {} : { config_schema: configSchema }),
  };
  const manifest = {
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name,
    version: '1.0.0',
    extensions: { 'dev.patchbay': part },
  };
  return {
    files: { 'plugin.json': JSON.stringify(manifest), 'plugin.mjs': module },
    ...(config === undefined ? {} : { config }),
  };
}
