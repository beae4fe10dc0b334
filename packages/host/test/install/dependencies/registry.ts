import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type TarItem, tgzOf } from '../fetch/tar-file.ts';

/** One version of a package in the registry. */
export interface Published {
  /** Fields of its package.json, as dependencies. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Files besides package.json and index.js, below `package/`. */
  readonly files?: readonly TarItem[];
  /** What is sent instead of its tarball. */
  readonly sent?: Buffer;
  /** The status that asking for it has. @default 200 */
  readonly status?: number;
}

/** Name to version to package. May be changed while the registry runs. */
export type Shelf = Record<string, Record<string, Published>>;

/** A registry on this machine, until the test is over. Calls `onRequest` with each path that is asked for; gives its URL. */
export async function registryOf(shelf: Shelf, onRequest?: (path: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    onRequest?.(path);
    const [, name = '', version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/.*-(\d[^/]*)\.tgz)?$/.exec(path) ?? [];
    const versions = shelf[name];
    const status = Object.values(versions ?? {}).find((one) => one.status !== undefined)?.status;
    const published = version === undefined ? undefined : versions?.[version];
    if (versions === undefined || (version !== undefined && published === undefined)) response.writeHead(404).end('{}');
    else if (status !== undefined) response.writeHead(status).end('{}');
    else if (published !== undefined && version !== undefined) {
      response.end(published.sent ?? tarball(name, version, published));
    } else response.end(JSON.stringify(packument(url, name, versions)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;
}

/** The integrity that a registry announces for a package. */
export function integrityFor(name: string, version: string, published: Published = {}): string {
  return `sha512-${createHash('sha512')
    .update(tarball(name, version, published))
    .digest('base64')}`;
}

function packument(url: string, name: string, versions: Readonly<Record<string, Published>>) {
  const entries = Object.entries(versions).map(([version, published]) => {
    const file = `${url}/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
    const integrity = integrityFor(name, version, published);
    return [version, { name, version, ...published.fields, dist: { tarball: file, integrity } }];
  });
  return { name, 'dist-tags': { latest: Object.keys(versions).at(-1) }, versions: Object.fromEntries(entries) };
}

function tarball(name: string, version: string, { fields, files = [] }: Published): Buffer {
  return tgzOf([
    { path: 'package/package.json', content: JSON.stringify({ name, version, ...fields }) },
    { path: 'package/index.js', content: `module.exports = '${name} ${version}';\n` },
    ...files,
  ]);
}
