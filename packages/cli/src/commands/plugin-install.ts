import { installPlugin, restorePlugins } from 'patchbay-host/install';
import { PatchbayError } from 'patchbay-sdk/errors';
import type { Input, Output, Run } from '../command.ts';
import { bringing, installedText } from '../plugin-options.ts';
import { columns } from '../text.ts';

export const run: Run = async (input) => {
  const { args, options, cwd } = input;
  const [source] = args;
  if (source === undefined) return restore(input);
  const how = bringing(cwd, options);
  try {
    const installed = await installPlugin(source, how);
    return { json: installed, text: installedText('Installed', installed) };
  } catch (error) {
    if (!(await consents(error, input))) throw error;
    const installed = await installPlugin(source, { ...how, yes: true });
    return { json: installed, text: installedText('Installed', installed) };
  }
};

async function restore({ options, cwd }: Input): Promise<Output> {
  const restored = await restorePlugins({ ...bringing(cwd, options), frozen: options['frozen'] === true });
  const lines = restored.map(({ name, version, state }) => [name, `v${version}`, state]);
  return { json: restored, text: lines.length === 0 ? 'The lock file names no plugins.' : columns(lines) };
}

/** Asks a person, where there is one, whether a plugin may have what it asks for. */
async function consents(error: unknown, { json }: Input): Promise<boolean> {
  if (!(error instanceof PatchbayError) || error.code !== 'GRANT_MISSING' || json || !process.stdin.isTTY) return false;
  process.stderr.write(`${error.message.replace(/ asks for .*/, ' asks for:')}\n`);
  for (const { message } of error.problems ?? []) process.stderr.write(`  ${message}\n`);
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Let it? [y/N] ');
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}
