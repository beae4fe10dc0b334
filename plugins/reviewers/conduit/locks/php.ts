import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import { objectOf, texts } from '../../workspace/packages.ts';
import { list, record } from '../../workspace/yaml-file.ts';
import { missing, told } from './told.ts';

/** The lock files of Composer. */
export function* composer(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)composer\.json$/.test(one))) {
    const text = workspace.text(path) ?? '';
    const manifest = objectOf(text);
    if (manifest === null) continue;
    const wanted = { ...texts(manifest['require']), ...texts(manifest['require-dev']) };
    // What is no package of anybody is PHP itself or a part of it.
    const names = Object.keys(wanted).filter((name) => name.includes('/'));
    const lock = path.replace(/json$/, 'lock');
    const known = objectOf(workspace.text(lock) ?? '');
    if (known === null) {
      if (names.length > 0 && manifest['type'] === 'project') yield missing(path, 'composer.lock');
      continue;
    }
    const locked = [known['packages'], known['packages-dev']].flatMap(list).map((one) => record(one)['name']);
    for (const name of names.filter((one) => !locked.includes(one))) {
      const line = text.slice(0, Math.max(0, text.indexOf(`"${name}"`))).split('\n').length;
      yield { ...told(path, line, `composer.lock is stale: it does not know ${name}`), also: [lock] };
    }
  }
}
