import { join } from 'node:path';
import type { Installed, InstallOptions } from 'patchbay-host/install';
import { PatchbayError } from 'patchbay-sdk/errors';

/** What the command line says of bringing a plugin in. */
export function bringing(cwd: string, options: Readonly<Record<string, unknown>>): InstallOptions {
  const settings = (options['set'] ?? []) as string[];
  return {
    cwd,
    // Beside the bundled command; see scripts/build.ts.
    builtins: join(import.meta.dirname, 'builtins'),
    // As npm and npx hand it on to what they start.
    registry: process.env['npm_config_registry'],
    force: options['force'] === true,
    link: options['link'] === true,
    yes: options['yes'] === true,
    grants: (options['grant'] ?? []) as string[],
    ...(settings.length === 0 ? {} : { config: Object.fromEntries(settings.map(setting)) }),
  };
}

/** `key=value`, the value read as JSON if it is some, else as it stands. */
function setting(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new PatchbayError('USAGE', `--set ${text}: write it as key=value`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}

/** What people read when a plugin has been brought in. */
export function installedText(verb: string, { name, version, path, hooks, grants, warnings }: Installed): string {
  return [
    `${verb} ${name} v${version} to ${path}`,
    ...(hooks.length > 0 ? [`  hooks: ${hooks.join(', ')}`] : []),
    ...(grants.length > 0 ? [`  may: ${grants.join(', ')}`] : []),
    ...warnings.map((warning) => `  warning: ${warning}`),
  ].join('\n');
}
