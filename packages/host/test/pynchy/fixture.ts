import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnyPlugin } from 'patchbay-sdk';
import { onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { type Host, openHost } from '../../src/host.ts';
import { installPlugin } from '../../src/install/index.ts';

/** How a plugin comes to the host. */
export type Door = 'module' | 'config.toml' | 'dependency' | 'installed';
export const doors: readonly Door[] = ['module', 'config.toml', 'dependency', 'installed'];

/** A project with these plugins of Pynchy, by name, each the text of a module; they come in this order. */
export async function hostWith(
  plugins: Readonly<Record<string, string>>,
  { door = 'module', builtins = [], toml = '' }: { door?: Door; builtins?: readonly AnyPlugin[]; toml?: string } = {},
): Promise<Host & { readonly dir: string }> {
  const dir = folder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const names = Object.keys(plugins);
  const packageOf = (name: string) => JSON.stringify({ name, version: '1.2.3', pynchy: './plugin.mjs' });
  switch (door) {
    case 'module':
      write('patchbay.yaml', `plugins:\n${names.map((name) => `  ${name}: { path: ${name}.mjs }\n`).join('')}`);
      for (const [name, text] of Object.entries(plugins)) write(`${name}.mjs`, text);
      break;
    case 'config.toml':
      write('config.toml', `${names.map((name) => `[plugins.${name}]\npath = "${name}.mjs"\n`).join('')}${toml}`);
      for (const [name, text] of Object.entries(plugins)) write(`${name}.mjs`, text);
      break;
    case 'dependency': {
      write('config.toml', `[plugins]\n${toml}`);
      const dependencies = Object.fromEntries(names.map((name) => [name, '1.2.3']));
      write('package.json', JSON.stringify({ dependencies }));
      for (const [name, text] of Object.entries(plugins)) {
        write(`node_modules/${name}/package.json`, packageOf(name));
        write(`node_modules/${name}/plugin.mjs`, text);
      }
      break;
    }
    case 'installed':
      write('config.toml', `[workspaces]\n${toml}`);
      for (const [name, text] of Object.entries(plugins)) {
        write(`sources/${name}/package.json`, packageOf(name));
        write(`sources/${name}/plugin.mjs`, text);
        await installPlugin(join(dir, 'sources', name), { cwd: dir, yes: true });
      }
  }
  const host = await openHost({ cwd: dir, version: '0.0.0', builtins });
  onTestFinished(() => host.close());
  return Object.assign(host, { dir });
}
