import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { call, listening, newClient } from './http-fixture.ts';

const certified = { key: '', cert: '' };
const trusted = tls.getCACertificates('default');
const client = () => newClient({ lookup: async () => ['127.0.0.1'] });
const grants = ['net:handler.test', 'net:other.test', 'net:127.0.0.1'];

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=handler.test', '-addext', 'subjectAltName=DNS:handler.test'];
  const making = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
  execFileSync('openssl', [...making, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  Object.assign(certified, { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') });
  rmSync(folder, { recursive: true });
});

afterEach(() => {
  tls.setDefaultCACertificates(trusted);
  vi.unstubAllEnvs();
});

async function secure() {
  const names: unknown[] = [];
  const server = createServer(certified, (request, response) => {
    names.push((request.socket as tls.TLSSocket & { servername?: unknown }).servername);
    response.end('{"verdict": "ok", "message": "over TLS"}');
  });
  const { port } = await listening(server, []);
  return { names, at: (host: string) => `https://${host}:${port}/` };
}

it('a certificate that is trusted and of that name is accepted, at the address that was checked', async () => {
  const { names, at } = await secure();
  tls.setDefaultCACertificates([...trusted, certified.cert]);
  expect(await call(at('handler.test'), { client: client(), grants })).toMatchObject({ message: 'over TLS' });
  expect(names).toEqual(['handler.test']);
});

it('a certificate that nobody trusts is refused, whatever the environment says', async () => {
  const { names, at } = await secure();
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const outcome = await call(at('handler.test'), { client: client(), grants });
  expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', attempts: 1 });
  expect(outcome.message).toContain('self-signed certificate');
  expect(names).toEqual([]);
});

it.each(['other.test', '127.0.0.1'])('a certificate of another name is refused: %s', async (host) => {
  const { names, at } = await secure();
  tls.setDefaultCACertificates([...trusted, certified.cert]);
  const outcome = await call(at(host), { client: client(), grants });
  expect(outcome).toMatchObject({ status: 'failed', attempts: 1 });
  expect(outcome.message).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(names).toEqual([]);
});
