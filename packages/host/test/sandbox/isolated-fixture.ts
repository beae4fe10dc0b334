import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Hooks, hooks, type PatchbayError } from 'patchbay-sdk';
import { expect, onTestFinished, vi } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { Kernel } from '../../src/kernel/index.ts';
import { type IsolatedOptions, IsolatedPlugin, type LogLine } from '../../src/sandbox/isolated/index.ts';

/** The ways to run an isolated plugin; here the first means a namespace, if the machine has bubblewrap. */
export const modes = ['auto', 'off'] as const;
export type Mode = (typeof modes)[number];

/** An isolated plugin in a project of its own, and all that can be seen of it. */
export interface Bench {
  readonly plugin: IsolatedPlugin;
  readonly kernel: Kernel<Hooks>;
  readonly project: string;
  readonly logs: LogLine[];
  readonly failures: PatchbayError[];
  /** Loads the plugin and puts it into the kernel. */
  register(): Promise<void>;
}

/** The text of a plugin module named `it`. */
export function pluginText(hooks: string, before = '', rest = ''): string {
  return `${before}\nexport default { name: 'it', version: '1.0.0', hooks: { ${hooks} }, ${rest} };\n`;
}

/** A plugin named `it` from the text of its module. */
export function bench(text: string, options: Partial<IsolatedOptions> & { readonly file?: string } = {}): Bench {
  const { file = 'index.mjs', ...rest } = options;
  const project = folder({ [`plugins/it/${file}`]: text });
  const dir = join(project, 'plugins/it');
  return benchOf({ module: join(dir, file), dir, project, ...rest });
}

/** A plugin from where it is. */
export function benchOf(
  options: Partial<IsolatedOptions> & Pick<IsolatedOptions, 'module' | 'dir' | 'project'>,
): Bench {
  const logs: LogLine[] = [];
  const failures: PatchbayError[] = [];
  const kernel = new Kernel(hooks, { onFailure: (failure) => failures.push(failure) });
  const log = (line: LogLine) => void logs.push(line);
  const plugin = new IsolatedPlugin({ name: 'it', config: {}, grants: [], env: {}, log, ...options });
  onTestFinished(async () => {
    await plugin.close().catch(() => undefined);
    await vi.waitFor(() => expect(processesIn(options.project)).toEqual([]), { timeout: 60_000 });
  });
  const register = async () => {
    const scope = kernel.register(plugin.registration(await plugin.describe()));
    scope.defer(() => plugin.close());
  };
  return { plugin, kernel, project: options.project, logs, failures, register };
}

/** The processes whose working directory is in a folder. */
export function processesIn(dir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const isHere = readlinkSync(`/proc/${pid}/cwd`).startsWith(dir);
        return isHere ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]}`] : [];
      } catch {
        return [];
      }
    });
}
