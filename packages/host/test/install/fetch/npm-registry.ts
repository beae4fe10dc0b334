import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What may be wrong with a registry. */
export type Mood =
  | 'well'
  | 'missing'
  | 'broken'
  | 'forbidden'
  | 'silent'
  | 'garbage'
  | 'not a package'
  | 'another package'
  | 'endless'
  | 'no integrity'
  | 'tampered'
  | 'tarball missing'
  | 'tarball cut'
  | 'tarball endless';

/** A registry on this machine, until the test is over, with these versions of one package. Gives its URL. */
export async function registry(
  name: string,
  versions: Readonly<Record<string, Buffer>>,
  mood: Mood = 'well',
): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    if (mood === 'silent') return;
    const failing = { missing: 404, broken: 500, forbidden: 403 }[mood as string];
    if (failing !== undefined) send(response, { error: mood }, failing);
    else if (decodeURIComponent(url) === `/${name}`) answer(response);
    else tarball(response, versions[url.replace(/^.*-([^-]+)\.tgz$/, '$1')]);
  });
  const answer = (response: ServerResponse) => {
    if (mood === 'garbage') response.end('<html><h1>Welcome to the hotel network</h1></html>');
    else if (mood === 'not a package') send(response, null);
    else if (mood === 'endless') endless(response);
    else send(response, packument());
  };
  const tarball = (response: ServerResponse, content: Buffer | undefined) => {
    if (content === undefined || mood === 'tarball missing') send(response, {}, 404);
    else if (mood === 'tampered') response.end(Buffer.concat([content, Buffer.from('!')]));
    else if (mood === 'tarball endless') endless(response);
    else if (mood === 'tarball cut') {
      response.setHeader('content-length', content.length);
      response.write(content.subarray(0, 20), () => response.destroy());
    } else response.end(content);
  };
  const packument = () => {
    const found = mood === 'another package' ? 'another' : name;
    const entries = Object.entries(versions).map(([version, content]) => {
      const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const file = `${url}/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
      return [
        version,
        {
          name: found,
          version,
          dist: { tarball: file, ...(mood === 'no integrity' ? {} : { integrity }) },
          scripts: { prepare: 'exit 1', postinstall: 'exit 1' },
        },
      ];
    });
    const latest = Object.keys(versions).at(-1);
    return { name: found, 'dist-tags': { latest, stable: latest }, versions: Object.fromEntries(entries) };
  };
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

function send(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function endless(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, ' ')));
  };
  response.on('drain', more);
  more();
}
