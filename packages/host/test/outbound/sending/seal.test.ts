import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepRequest, openRequest, type Send } from '../../../src/outbound/sending/request.ts';
import { Seal } from '../../../src/outbound/sending/seal.ts';

const token = 'a&b "c"/d\\e é+42';
const seal = new Seal(new Map([['TOKEN', token]]));
const basic = Buffer.from(`ada:${token}`).toString('base64');

describe('A request that is kept', () => {
  it.each([
    ['in a header', { url: 'http://x.example/', headers: { authorization: `Bearer ${token}` } }],
    ['in a Basic header', { url: 'http://x.example/', headers: { authorization: `Basic ${basic}` } }],
    ['in the query', { url: `http://x.example/?t=${encodeURIComponent(token)}&${new URLSearchParams({ t: token })}` }],
    ['as a password', { url: `http://ada:${encodeURIComponent(token)}@x.example/` }],
    ['in the body', { url: 'http://x.example/', body: { [token]: [token, `so ${token} so`] } }],
  ])(
    'does not hold a secret that stands %s, and is what it was when it is sent',
    (_, send: Partial<Send> & { url: string }) => {
      const kept = keepRequest({ body: null, ...send }, seal);
      const text = JSON.stringify(kept);
      expect(text).toContain('"TOKEN"');
      for (const secret of [token, encodeURIComponent(token), basic, 'd\\\\e']) expect(text).not.toContain(secret);
      const asked = openRequest(JSON.parse(text), seal);
      expect(asked.url.href).toBe(new URL(send.url).href);
      expect(Object.fromEntries(asked.headers)).toEqual(send.headers ?? {});
      expect(asked.body).toBe(JSON.stringify(send.body ?? null));
    },
  );

  it('is sent with the value that a secret has then', () => {
    const send = { url: 'http://x.example/', headers: { 'x-token': 'old-token' }, body: 'old-token' };
    const kept = keepRequest(send, new Seal(new Map([['TOKEN', 'old-token']])));
    const { headers, body } = openRequest(kept, new Seal(new Map([['TOKEN', 'new "token"']])));
    expect([headers.get('x-token'), JSON.parse(body)]).toEqual(['new "token"', 'new "token"']);
  });

  it('cannot be sent without its secret: that names the variable', () => {
    const kept = keepRequest({ url: 'http://x.example/', body: token }, seal);
    const error = { code: 'CONFIG_INVALID', message: expect.stringContaining('TOKEN') };
    expect(() => openRequest(kept, new Seal(new Map()))).toThrow(expect.objectContaining(error));
  });

  it('is what it was, whatever it and the secrets are', () => {
    const secret = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 3 }), fc.array(fc.oneof(secret, fc.json())), (secrets, pieces) => {
        const own = new Seal(new Map(secrets.map((one, i) => [`S${i}`, one])));
        const text = [...pieces, ...secrets, ...secrets.map((one) => Buffer.from(`u:${one}`).toString('base64'))].join(
          '-',
        );
        expect(own.open(own.close(text, 'plain'))).toBe(text);
        const json = JSON.stringify({ text });
        expect(own.open(own.close(json, 'json'))).toBe(json);
      }),
    );
  });
});

describe('A request cannot be asked for', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  it.each([
    ['without an address', { url: 'nowhere' }, 'http or https'],
    ['of a file', { url: 'file:///etc/passwd' }, 'http or https'],
    ['with a body that is no JSON', { body: cyclic }, 'JSON'],
    ['with no body', { body: undefined }, 'no "body"'],
    ['with a body without end', { body: 'x'.repeat(1024 * 1024) }, 'longer than'],
    ['with a header of two lines', { headers: { 'x-a': 'b\r\nhost: c' } }, 'x-a'],
    ['with a header of no name', { headers: { 'x a': 'b' } }, 'name'],
    ['with a header of the connection', { headers: { 'Transfer-Encoding': 'chunked' } }, 'Transfer-Encoding'],
    ['with the name of another delivery', { headers: { 'Webhook-Id': 'x' } }, 'webhook-id'],
  ])('%s', (_, send, what) => {
    const error = { code: 'HANDLER_ANSWER', message: expect.stringContaining(what) };
    const asking = () => keepRequest({ url: 'http://x.example/', body: 1, ...send }, seal);
    expect(asking).toThrow(expect.objectContaining(error));
  });
});
