import { describe, expect, it } from 'vitest';
import { redactor } from '../../src/outbound/http-redact.ts';
import { type Answering, answer, call, handler, rawHandler } from './http-fixture.ts';

const secret = 'hunter2/"quoted"+é';
const secrets = { env: { TOKEN: secret }, headers: { Authorization: 'Bearer ${TOKEN}' } };

/** A server that tells what it was given, in this way. */
const echoing =
  (tell: (given: string) => Answering): Answering =>
  (response, number, request) =>
    tell(request.headers.authorization ?? '')(response, number, request);

async function told(answering: Answering) {
  const { url } = await handler(answering);
  const outcome = await call(url, { ...secrets, grants: ['net:127.0.0.1', 'env:TOKEN'] });
  return { outcome, everything: JSON.stringify(outcome) };
}

describe('a value of the environment that the server sends back does not appear', () => {
  it.each<[string, (given: string) => Answering]>([
    ['in the message of a verdict', (given) => answer(200, { verdict: 'ok', message: `got ${given}` })],
    ['in the message of a failure', (given) => answer(200, { verdict: 'fail', message: given })],
    ['as a verdict', (given) => answer(200, { verdict: given })],
    ['in a key', (given) => answer(200, { [given]: 1 })],
    ['in an error page', (given) => answer(401, `<p>${given}</p>`)],
    ['in the message of an error', (given) => answer(403, { message: `no such token: ${given}` })],
    ['in JSON with needless escapes', (given) => answer(200, JSON.stringify({ a: given }).replaceAll('/', '\\/'))],
    ['in other case', (given) => answer(200, { verdict: 'warn', message: given.toUpperCase() })],
    ['as the bytes it was', (given) => (response) => response.end(Buffer.from(given, 'latin1'))],
    ['in an answer 5xx', (given) => answer(500, given)],
    ['in the middle of a long answer', (given) => answer(200, `${'x'.repeat(4090)}${given}${'x'.repeat(4096)}`)],
  ])('%s', async (_, tell) => {
    const { outcome, everything } = await told(echoing(tell));
    expect(everything.toLowerCase()).not.toMatch(/hunter2|quoted/);
    expect(outcome.http_status).not.toBeNull();
  });

  it('where a redirect leads to', async () => {
    const { url } = await handler(answer(307, '', { location: 'http://Hunter2.evil.test/' }));
    const outcome = await call(url, {
      env: { TOKEN: 'HUNTER2' },
      headers: { 'X-Key': '${TOKEN}' },
      grants: ['net:127.0.0.1', 'env:TOKEN'],
    });
    expect(outcome.message).toContain('redirects to http://***.evil.test');
  });

  it('in what a broken connection is reported with', async () => {
    const { url } = await rawHandler((socket) => socket.once('data', (data) => socket.end(data)));
    const outcome = await call(url, { ...secrets, grants: ['net:127.0.0.1', 'env:TOKEN'] });
    expect(outcome.status).toBe('failed');
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  });
});

it('the credentials of an address do not appear', async () => {
  const echo = echoing((given) => answer(403, { message: `${given} p@ssword p%40ssword of alice` }));
  const { url } = await handler(echo);
  const outcome = await call(url.replace('//', '//alice:p%40ssword@'));
  expect(outcome.message).toContain('answered 403: Basic *** *** *** of ***');
  expect(JSON.stringify(outcome)).not.toMatch(/alice|ssword|YWxpY2U/);
});

it('path and query of an address do not appear when it cannot be reached', async () => {
  const outcome = await call('http://127.0.0.1:1/services/T0/B0/xxxx?token=1');
  expect(outcome.message).toContain('http://127.0.0.1:1 failed');
  expect(JSON.stringify(outcome)).not.toMatch(/services|token/);
});

it('values shorter than four characters are words like any other', () => {
  expect(redactor(['on', 'prod'])('on production')).toBe('on ***uction');
});

it('of two values, the longer is taken out whole', () => {
  expect(redactor(['abcd', 'abcdefgh'])('abcdefgh abcd')).toBe('*** ***');
});
