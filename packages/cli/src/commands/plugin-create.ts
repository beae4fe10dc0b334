import { resolve } from 'node:path';
import { PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { nativeFiles } from '../create/native.ts';
import { scaffold } from '../create/scaffold.ts';
import { scriptFiles } from '../create/script.ts';

/** What every form of manifest takes for a name. */
const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const kinds = ['native', 'script'];

export const run: Run = ({ args, options, cwd, version }) => {
  const [name = ''] = args;
  const { kind = 'native' } = options;
  if (!namePattern.test(name) || name.length > 64) {
    const hint = 'Use lower-case letters and digits with single dashes between them, at most 64.';
    throw new PatchbayError('USAGE', `${JSON.stringify(name)} is no name for a plugin`, { plugin: name, hint });
  }
  if (!kinds.includes(String(kind))) {
    throw new PatchbayError('USAGE', `--kind ${kind}: there are ${kinds.join(' and ')}`);
  }
  const dir = resolve(cwd, name);
  const made = kind === 'script' ? scriptFiles(name) : nativeFiles(name, version);
  scaffold(dir, made);
  const files = Object.keys(made).sort();
  const text = [
    `Made ${kind} plugin ${name} in ${dir}`,
    ...files.map((file) => `  ${file}`),
    `Next: patchbay plugin install ./${name} --link`,
  ].join('\n');
  return { json: { name, kind, dir, files }, text };
};
