import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { durable, git } from './git.ts';
import { inMirror, type MirrorOf } from './mirror.ts';
import type { Repository } from './repository.ts';

/** Brings a commit from a mirror into the repository, durably, with all it needs besides what these commits hold. */
export async function bringCommit(
  of: MirrorOf,
  repository: Repository,
  commit: string,
  since: readonly string[],
): Promise<void> {
  await packed(of, [commit], since, async (pack) => {
    await unpackInto(repository, pack);
  });
}

/** Adds the objects in the file of a pack to a repository, durably. */
export async function unpackInto({ common }: Repository, pack: string): Promise<void> {
  await git(['unpack-objects', '-q'], { cwd: common, gitDir: common, settings: durable, stdinFile: pack });
}

/** All objects of a mirror that these need, besides what commits hold that the receiver has, as a pack. */
export function packOf(of: MirrorOf, wanted: readonly string[], since: readonly string[]): Promise<Buffer> {
  return packed(of, wanted, since, async (pack) => readFileSync(pack));
}

async function packed<T>(
  of: MirrorOf,
  wanted: readonly string[],
  since: readonly string[],
  use: (pack: string) => Promise<T>,
): Promise<T> {
  const prefix = join(of.mirror, 'packed');
  const stdin = [...wanted, ...since.map((commit) => `^${commit}`), ''].join('\n');
  const id = (await git(['pack-objects', '--quiet', '--revs', prefix], { ...inMirror(of), stdin })).trim();
  try {
    return await use(`${prefix}-${id}.pack`);
  } finally {
    for (const end of ['pack', 'idx', 'rev']) rmSync(`${prefix}-${id}.${end}`, { force: true });
  }
}
