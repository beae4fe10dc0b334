import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PatchbayError } from 'patchbay-sdk/errors';
import type { Run } from '../command.ts';
import { starters } from '../init/starters.ts';
import { writeFiles } from '../write-files.ts';

/** What the host keeps is nobody else's business. */
const ignored = '.patchbay/';

export const run: Run = ({ args, options, cwd }) => {
  const dir = resolve(cwd, args[0] ?? '.');
  const template = String(options['template'] ?? 'governed');
  const starter = Object.hasOwn(starters, template) ? starters[template] : undefined;
  if (starter === undefined) {
    throw new PatchbayError('USAGE', `--template ${template}: there are ${Object.keys(starters).join(', ')}`);
  }
  const { files, next } = starter;
  const taken = Object.keys(files).filter((name) => existsSync(join(dir, name)));
  if (taken.length > 0) {
    throw new PatchbayError('USAGE', `${dir} has ${taken.join(', ')} already`, {
      file: dir,
      hint: 'Name a new folder, or edit what is there.',
    });
  }
  writeFiles(dir, files);
  const made = [...Object.keys(files), ...(ignore(dir) ? ['.gitignore'] : [])];
  return { json: { dir, files: made }, text: `Made ${made.join(', ')} in ${dir}.\n${next}` };
};

/** Adds a line to .gitignore, unless it is there. */
function ignore(dir: string): boolean {
  const file = join(dir, '.gitignore');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before.split('\n').includes(ignored)) return false;
  writeFileSync(file, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${ignored}\n`);
  return true;
}
