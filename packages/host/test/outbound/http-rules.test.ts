import { sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { answer, call, handler } from './http-fixture.ts';

describe('what is sent', () => {
  it('is a POST', async () => {
    const { url, received } = await handler(answer(200));
    await call(`${url}?a=1`);
    expect(received).toMatchObject([{ method: 'POST', path: '/hook?a=1' }]);
  });

  it('has the full event payload as JSON for its body', async () => {
    const payload = sample('turn:accepted', { summary: 'Zeilenumbruch\n und 絵文字 🎉' });
    const { url, received } = await handler(answer(200));
    await call(url, { payload });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(payload);
  });

  it('has a type, a user agent and the idempotency key, and asks for no compression', async () => {
    const { url, received } = await handler(answer(200));
    await call(url, { key: 'delivery-42' });
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'patchbay',
      'idempotency-key': 'delivery-42',
    });
    expect(received[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it('has the headers of the manifest, which come before ours', async () => {
    const { url, received } = await handler(answer(200));
    const headers = { 'Content-Type': 'application/cloudevents+json', 'Idempotency-Key': 'mine', 'X-Team': 'blue' };
    await call(url, { headers });
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'idempotency-key': 'mine',
      'x-team': 'blue',
    });
  });

  it('has variables in headers filled in from the environment first, then from the event', async () => {
    const { url, port, received } = await handler(answer(200));
    await call(url, {
      headers: { Authorization: 'Bearer ${AGENTXCHAIN_HOOK_TOKEN}', 'X-Run-Id': '${run_id}' },
      env: { AGENTXCHAIN_HOOK_TOKEN: 't0ken', run_id: 'not granted' },
      grants: [`net:127.0.0.1:${port}`, 'env:AGENTXCHAIN_HOOK_TOKEN'],
    });
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer t0ken', 'x-run-id': 'run-1' });
  });

  it('has the credentials of the address as basic authorization', async () => {
    const { url, received } = await handler(answer(200));
    await call(url.replace('//', '//ada:l%40velace@'));
    const token = Buffer.from('ada:l@velace').toString('base64');
    expect(received[0]?.headers.authorization).toBe(`Basic ${token}`);
  });

  it.each([
    ['found nowhere', ['env:TOKEN'], {}, 'header X-Key needs the variable TOKEN, which is not set'],
    ['not granted', [], { TOKEN: 'x' }, 'header X-Key needs the variable TOKEN, which was not granted: env:TOKEN'],
    ['with a line break', ['env:TOKEN'], { TOKEN: 'a\nb' }, 'header X-Key has a line break'],
  ])('is nothing if a header needs a variable %s', async (_, grants, env, message) => {
    const started = await handler(answer(200));
    const outcome = await call(started.url, {
      headers: { 'X-Key': '${TOKEN}' },
      env,
      grants: [`net:127.0.0.1:${started.port}`, ...grants],
    });
    expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', attempts: 0 });
    expect(outcome.message).toContain(message);
    expect(started.connections).toBe(0);
  });
});

describe('an answer', () => {
  it.each([
    ['ok', 'ok', 'ok'],
    ['warn', 'warn', 'warn'],
    ['fail', 'failed', 'fail'],
  ])('with verdict %s is %s, with its message', async (given, status, verdict) => {
    const { url } = await handler(answer(200, { verdict: given, message: 'Slack notification sent' }));
    expect(await call(url)).toMatchObject({
      status,
      verdict,
      message: 'Slack notification sent',
      http_status: 200,
      attempts: 1,
      timed_out: false,
    });
  });

  it.each([
    ['without a body', 204, ''],
    ['with an empty body', 200, ''],
    ['that is no JSON', 200, 'Thanks!'],
    ['that is JSON of another kind', 201, '[1, 2]'],
    ['that is null', 200, 'null'],
    ['without a verdict', 200, '{"accepted": true}'],
    ['nested too deep to be anything', 200, '['.repeat(60_000)],
    ['nested deep', 200, `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ])('%s is ok', async (_, status, body) => {
    const { url } = await handler(answer(status, body));
    expect(await call(url)).toMatchObject({ status: 'ok', verdict: null, message: null, http_status: status });
  });

  it.each(['block', 'OK', '', 7, null, { deep: true }])(
    'with verdict %j is a failure that names it',
    async (verdict) => {
      const { url } = await handler(answer(200, { verdict, message: 'No.' }));
      const outcome = await call(url);
      expect(outcome).toMatchObject({ status: 'failed', verdict: 'fail', http_status: 200, attempts: 1 });
      expect(outcome.message).toContain(
        `answered verdict ${JSON.stringify(verdict)}, which is none of ok, warn and fail`,
      );
    },
  );

  it('is kept for the log, control characters and great length taken out', async () => {
    const { url } = await handler(answer(200, `\u001b[31mred${'.'.repeat(10_000)}`));
    const { output } = await call(url);
    expect(output).toMatch(/^ \[31mred\.+…$/);
    expect(output.length).toBeLessThan(5_000);
  });
});
