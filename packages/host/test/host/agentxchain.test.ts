import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keptText } from '../../../../test/store.ts';
import { Bench, documentForm, http, script } from './fixture.ts';

/** Through a host, with its ledger: what the document promises. Every row on its own is tested in ../outbound. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function withScript(text: string, timeoutMs?: number) {
  const bench = new Bench();
  await bench.install(
    'p',
    documentForm('p', [script('turn:accepted', './hooks/a.sh', timeoutMs)], { 'hooks/a.sh': text }),
  );
  const started = await bench.start();
  await started.emit('turn:accepted', { role: 'dev', summary: 'all done' });
  await started.service.rest();
  return { bench, ...started, row: (await started.deliveries({ event: 'turn:accepted' }))[0] };
}

async function withHttp(listener: RequestListener, more: object = {}, env: NodeJS.ProcessEnv = {}) {
  const bench = new Bench();
  await bench.install('p', documentForm('p', [http('turn:accepted', await serving(listener), more)]));
  const started = await bench.start({ env: { ...process.env, ...env } });
  await started.emit('turn:accepted', { run_id: 'run-7' });
  await started.service.rest();
  return { bench, ...started, row: (await started.deliveries({ event: 'turn:accepted' }))[0] };
}

describe('The script contract, through a host', () => {
  it('gives the script its variables, the payload and the configuration', async () => {
    const bench = new Bench();
    const text = `#!/bin/sh
      { echo "$AGENTXCHAIN_RUN_ID $AGENTXCHAIN_TURN_ID $AGENTXCHAIN_ROLE $AGENTXCHAIN_PHASE $AGENTXCHAIN_EVENT"
        cat "$AGENTXCHAIN_PAYLOAD_FILE"; echo; cat "$AGENTXCHAIN_PLUGIN_CONFIG"; } > seen.txt\n`;
    const config_schema = { type: 'object', properties: { channel: { type: 'string', default: '#agentxchain' } } };
    const files = documentForm(
      'p',
      [script('turn:accepted', './hooks/a.sh')],
      { 'hooks/a.sh': text },
      { config_schema },
    );
    await bench.install('p', files, { config: { token: '${TOKEN_OF_TEST}' } });
    const { emit, service } = await bench.start({ env: { ...process.env, TOKEN_OF_TEST: 'very-secret' } });
    await emit('turn:accepted', { run_id: 'r1', turn_id: 't1', role: 'dev', phase: 'planning', summary: 'done' });
    await service.rest();
    const [names, payload, config] = readFileSync(bench.file('seen.txt'), 'utf8').split('\n');
    expect(names).toBe('r1 t1 dev planning turn:accepted');
    expect(JSON.parse(payload ?? '')).toMatchObject({ event: 'turn:accepted', summary: 'done', result: {} });
    expect(JSON.parse(config ?? '')).toEqual({ token: 'very-secret', channel: '#agentxchain' });
    expect(readFileSync(bench.file('agentxchain.json'), 'utf8')).toContain('${TOKEN_OF_TEST}');
    expect(await keptText(bench.dir)).not.toContain('very-secret');
  });

  it('exit 0 is success', async () => {
    expect((await withScript('#!/bin/sh\nexit 0\n')).row).toMatchObject({ status: 'ok', exit_code: 0 });
  });

  it('exit non-zero is a warning, and the run goes on', async () => {
    const { row, emit } = await withScript('#!/bin/sh\necho no paper >&2\nexit 3\n');
    expect(row).toMatchObject({ status: 'failed', verdict: 'warn', exit_code: 3, message: 'exited with 3: no paper' });
    await emit('run:completed');
  });

  it('a script past its timeout is ended, a warning', async () => {
    const { row } = await withScript('#!/bin/sh\nsleep 60\n', 300);
    expect(row).toMatchObject({
      status: 'failed',
      verdict: 'warn',
      signal: 'SIGTERM',
      message: 'was ended after 300 ms',
    });
  });

  it('a script that was mended fires on the next event', async () => {
    const { bench, service, host } = await withScript('#!/bin/sh\nexit 1\n');
    await service.close();
    await host.close();
    const good = documentForm('p', [script('turn:accepted', './hooks/a.sh')], { 'hooks/a.sh': '#!/bin/sh\n' });
    await bench.install('p', good, { force: true });
    const next = await bench.start();
    await next.emit('turn:accepted');
    await next.service.rest();
    expect((await next.deliveries({ event: 'turn:accepted' })).map(({ status }) => status)).toEqual(['failed', 'ok']);
  });

  it('two plugins on one event both fire, in alphabetical order, one after the other', async () => {
    const bench = new Bench();
    for (const name of ['b-report', 'a-notify']) {
      const text = `#!/bin/sh\necho ${name} >> order.txt\n`;
      await bench.install(name, documentForm(name, [script('turn:accepted', './hooks/a.sh')], { 'hooks/a.sh': text }));
    }
    const { emit, service } = await bench.start();
    await emit('turn:accepted');
    await service.rest();
    expect(readFileSync(bench.file('order.txt'), 'utf8')).toBe('a-notify\nb-report\n');
  });

  it('a script on an event that may be refused cannot refuse it', async () => {
    const bench = new Bench();
    const files = { 'hooks/a.sh': '#!/bin/sh\nexit 1\n' };
    await bench.install('p', documentForm('p', [script('turn:dispatched', './hooks/a.sh')], files));
    const { emit, deliveries } = await bench.start();
    await emit('turn:dispatched');
    expect(await deliveries({ event: 'turn:dispatched' })).toMatchObject([{ status: 'failed', awaited: true }]);
  });
});

describe('HTTP hooks, through a host', () => {
  it('post the whole payload, with headers from the environment first and then the event', async () => {
    let seen: { method?: string | undefined; headers?: object; body?: string } = {};
    const listener: RequestListener = async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen = { method: request.method, headers: request.headers, body };
      response.end('{"verdict":"ok","message":"sent to #agentxchain with tok-12345"}');
    };
    const headers = { Authorization: 'Bearer ${HOOK_TOKEN}', 'X-Run-Id': '${run_id}' };
    const { row, bench } = await withHttp(listener, { headers }, { HOOK_TOKEN: 'tok-12345' });
    expect(seen.method).toBe('POST');
    expect(seen.headers).toMatchObject({ authorization: 'Bearer tok-12345', 'x-run-id': 'run-7' });
    expect(seen.headers).toMatchObject({ 'idempotency-key': row?.key });
    expect(JSON.parse(seen.body ?? '')).toMatchObject({ event: 'turn:accepted', run_id: 'run-7', result: {} });
    expect(row).toMatchObject({ status: 'ok', verdict: 'ok', http_status: 200 });
    const kept = [await keptText(bench.dir), readFileSync(bench.file('.patchbay/logs/p.log'), 'latin1')];
    for (const text of kept) expect(text).not.toContain('tok-12345');
  });

  it.each([
    ['ok', 'ok'],
    ['warn', 'warn'],
    ['fail', 'failed'],
  ])('verdict %s', async (verdict, status) => {
    const { row } = await withHttp((_, response) => response.end(JSON.stringify({ verdict, message: 'm' })));
    expect(row).toMatchObject({ status, verdict, message: expect.stringContaining('m') });
  });

  it('4xx is an error and not tried again', async () => {
    let calls = 0;
    const { row } = await withHttp((_, response) => {
      calls++;
      response.writeHead(403).end();
    });
    expect([calls, row]).toMatchObject([1, { status: 'failed', http_status: 403, attempts: 1 }]);
  });

  it('5xx is tried once more, after 2 s', async () => {
    const at: number[] = [];
    const { row } = await withHttp((_, response) => {
      at.push(Date.now());
      response.writeHead(503).end();
    });
    expect(at).toHaveLength(2);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(1900);
    expect(row).toMatchObject({ status: 'failed', http_status: 503, attempts: 2 });
  });

  it('past its timeout it is aborted, a failure', async () => {
    const { row } = await withHttp(() => {}, { timeout_ms: 200 });
    expect(row).toMatchObject({ status: 'failed', verdict: 'fail', http_status: null });
  });

  it('a network error is not tried again, and what failed can be replayed', async () => {
    const bench = new Bench();
    await bench.install('p', documentForm('p', [http('turn:accepted', 'http://127.0.0.1:9/')]));
    const { emit, service, deliveries } = await bench.start();
    await emit('turn:accepted');
    await service.rest();
    const [row] = await deliveries({ event: 'turn:accepted' });
    expect(row).toMatchObject({ status: 'failed', attempts: 1, http_status: null });
    await service.ledger.replay(row?.id ?? '');
    await service.rest();
    expect(await service.ledger.delivery(row?.id ?? '')).toMatchObject({ status: 'failed', key: row?.key });
  });
});

describe('The shipped 0.1 form, through a host', () => {
  const withProcess = async (phase: string, mode: string, text: string) => {
    const bench = new Bench();
    const hooks = { [phase]: [{ type: 'process', command: ['./hooks/h.sh'], mode, timeout_ms: 500 }] };
    const manifest = { schema_version: '0.1', name: '@scope/p', version: '1.0.0', hooks };
    await bench.install('p', { 'agentxchain-plugin.json': JSON.stringify(manifest), 'hooks/h.sh': text });
    return bench.start();
  };

  it.each([
    ['before_gate', 'gate:pending'],
    ['after_dispatch', 'turn:dispatched'],
  ] as const)('%s in blocking mode may refuse %s', async (phase, event) => {
    const block = '#!/bin/sh\necho \'{"verdict":"block","message":"no tests","annotations":{"n":1}}\'\n';
    const { emit, deliveries } = await withProcess(phase, 'blocking', block);
    await expect(emit(event)).rejects.toMatchObject({
      code: 'HOOK_REFUSED',
      message: expect.stringContaining('no tests'),
    });
    expect(await deliveries({ event })).toMatchObject([
      { status: 'refused', verdict: 'block', message: 'no tests', annotations: { n: 1 }, exit_code: 0 },
    ]);
  });

  it.each([
    ['crashes', 'exit 1'],
    ['hangs', 'sleep 60'],
    ['answers nonsense', 'echo maybe'],
  ])('a blocking handler that %s refuses', async (_, line) => {
    const { emit } = await withProcess('before_gate', 'blocking', `#!/bin/sh\n${line}\n`);
    await expect(emit('gate:pending')).rejects.toMatchObject({ code: 'HOOK_REFUSED' });
  });

  it.each([
    ['crashes', 'exit 1'],
    ['hangs', 'sleep 60'],
    ['answers nonsense', 'echo maybe'],
    ['says block', `echo '{"verdict":"block"}'`],
  ])('an advisory handler that %s refuses nothing', async (_, line) => {
    const { emit, deliveries } = await withProcess('before_gate', 'advisory', `#!/bin/sh\n${line}\n`);
    await emit('gate:pending');
    expect(await deliveries({ event: 'gate:pending' })).toHaveLength(1);
  });
});
