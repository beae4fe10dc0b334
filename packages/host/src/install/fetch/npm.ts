import { Readable } from 'node:stream';
import type pacote from 'pacote';
import { PatchbayError } from 'patchbay-sdk';
import semver from 'semver';
import type { StagingFolder } from './folder.ts';
import { registryError } from './registry-answer.ts';
import { type RegistryOptions, RegistryRequest, registrySettings } from './registry-request.ts';
import { type NpmSource, sourceText } from './source.ts';
import { unpackTar } from './tar.ts';

/** What a package of the registry turned out to be. */
export interface ResolvedNpm {
  readonly version: string;
  /** Of the tarball, as the registry announces it. */
  readonly integrity: string;
}

/**
 * Fetches a package from the registry and unpacks it. The tarball is checked against the integrity that the registry
 * announces, and the one that is expected, before any of it is unpacked. No script is run, and npm's cache is not used.
 */
export async function stageNpm(
  source: NpmSource,
  folder: StagingFolder,
  { integrity: expected, timeoutMs = 30_000, ...registry }: RegistryOptions & { integrity?: string | undefined },
): Promise<ResolvedNpm> {
  const asked = sourceText(source);
  const request = new RegistryRequest(asked, timeoutMs, folder.policy.limits.bytes);
  const options = {
    ...registrySettings(registry, timeoutMs, request.signal),
    ...(expected === undefined ? {} : { integrity: expected }),
  };
  try {
    const { default: fetcher } = await import('pacote');
    const manifest = await request.answer(fetcher.manifest(`${source.name}@${source.range ?? ''}`, options));
    const { version, integrity } = checked(manifest, source.name, asked);
    const tarball = await request.answer(
      fetcher.tarball.stream(`${source.name}@${version}`, (stream) => request.download(stream), options),
      (error) => registryError(isMissing(error) ? new Error(missingTarball) : error, asked),
    );
    await unpackTar(Readable.from([tarball]), folder);
    return { version, integrity };
  } finally {
    request.end();
  }
}

const missingTarball = 'it lists this version, but its tarball is missing';

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'E404';
}

function checked(manifest: pacote.ManifestResult, name: string, asked: string): ResolvedNpm {
  const { name: found, version, _integrity: integrity }: Record<string, unknown> = { ...manifest };
  if (found !== name || typeof version !== 'string' || semver.valid(version) === null) {
    throw new PatchbayError('SOURCE_UNAVAILABLE', `${asked}: the registry failed: it answered about something else`);
  }
  if (typeof integrity !== 'string' || integrity === '') {
    throw new PatchbayError('PACKAGE_UNSAFE', `${asked}: the registry announces no integrity for version ${version}`);
  }
  return { version, integrity };
}
