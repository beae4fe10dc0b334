import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type EventBus, sample } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spanIdOf, traceIdOf } from '../otel/ids.ts';
import { otelObserver } from '../otel/observer.ts';

type Told = Readonly<Record<string, unknown>>;
interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A receiver of OTLP over HTTP, as JSON. */
async function receiver() {
  const requests: { path: string | undefined; key: unknown; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, unknown>;
    requests.push({ path: request.url, key: request.headers['x-key'], body });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const spans = () =>
    requests.flatMap(({ body }) => {
      const all = body['resourceSpans'] as { scopeSpans: { spans: Sent[] }[] }[];
      return all.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, spans };
}

/** Tells an observer of these, by the name under which it asks for them, and closes it. */
async function tell(endpoint: string, told: readonly (readonly [name: string, told: Told])[]) {
  const observer = otelObserver({ endpoint, headers: { 'x-key': 'secret' }, service: 'ours' });
  const listeners = new Map<string, (told: Told) => unknown>();
  const bus: EventBus = {
    subscribe: (name, listener) => {
      listeners.set(name, listener);
      return () => {};
    },
  };
  await observer.subscribe(bus);
  for (const [name, it] of told) await listeners.get(name)?.(it);
  await observer.close();
}

const about = { run_id: 'run-1', template: 'governed', turn_id: 't1', attempt: 1, role: 'dev', phase: 'build' };
const happened = (event: Parameters<typeof sample>[0], at: string, more: object = {}): ['*', Told] => {
  return ['*', { ...(sample(event) as unknown as Told), ...about, at, ...more }];
};
const attribute = (span: Sent | undefined, key: string) => span?.attributes.find((one) => one.key === key)?.value;
const millis = (nanos: string | undefined) => Number(BigInt(nanos ?? '0') / 1_000_000n);

const started = happened('run:started', '2026-01-01T00:00:00.000Z');
const dispatched = happened('turn:dispatched', '2026-01-01T00:00:01.000Z');

describe('the observer "otel"', () => {
  it('sends a span for a run and each of its turns, one in the other, with their times', async () => {
    const { url, spans, requests } = await receiver();
    await tell(url, [
      started,
      dispatched,
      happened('turn:submitted', '2026-01-01T00:00:03.000Z'),
      happened('run:completed', '2026-01-01T00:00:04.000Z'),
    ]);
    const [turn, run] = spans();
    expect(spans()).toHaveLength(2);
    expect(run).toMatchObject({ name: 'run governed', traceId: traceIdOf('run-1'), spanId: spanIdOf('run run-1') });
    expect(run?.parentSpanId ?? '').toBe('');
    expect(turn).toMatchObject({ name: 'turn dev', traceId: run?.traceId, parentSpanId: run?.spanId });
    expect(millis(turn?.endTimeUnixNano) - millis(turn?.startTimeUnixNano)).toBe(2000);
    expect(millis(run?.endTimeUnixNano) - millis(run?.startTimeUnixNano)).toBe(4000);
    expect(attribute(turn, 'patchbay.attempt')).toEqual({ intValue: 1 });
    expect(attribute(run, 'patchbay.status')).toEqual({ stringValue: 'completed' });
    expect(requests.map(({ path, key }) => [path, key])).toEqual([['/v1/traces', 'secret']]);
    expect(JSON.stringify(requests[0]?.body)).toContain('"stringValue":"ours"');
  });

  it('says what went wrong', async () => {
    const { url, spans } = await receiver();
    await tell(url, [
      dispatched,
      happened('turn:failed', '2026-01-01T00:00:02.000Z', { error: { code: 'TIMEOUT', message: 'took too long' } }),
      happened('run:held', '2026-01-01T00:00:03.000Z', { reason: 'attempts exhausted' }),
    ]);
    expect(spans().map(({ status }) => status)).toEqual([
      { code: 2, message: 'took too long' },
      { code: 2, message: 'attempts exhausted' },
    ]);
  });

  it('sends a span for a call of a tool, in its turn, and for a hook that was told, in its run', async () => {
    const { url, spans } = await receiver();
    const data = { tool: 'send_mail', request_id: 'r1', decision: 'approved', ok: false, error: 'no', ms: 50 };
    const delivery = { id: '4.1', key: 'e4.1', attempts: 1, plugin: 'notify', handler: 'h', event: 'run:started' };
    const settled = {
      ...delivery,
      status: 'ok',
      settled_at: '2026-01-01T00:00:02.000Z',
      duration_ms: 20,
      run_id: 'run-1',
    };
    await tell(url, [
      dispatched,
      happened('agent:trace', '2026-01-01T00:00:02.000Z', { attempt: null, trace_type: 'tool_use', data }),
      happened('agent:trace', '2026-01-01T00:00:02.000Z', { trace_type: 'text', data: { text: 'hm' } }),
      ['delivery:settled', settled],
    ]);
    const [tool, hook] = spans();
    expect(spans()).toHaveLength(2);
    expect(tool).toMatchObject({
      name: 'tool send_mail',
      traceId: traceIdOf('run-1'),
      parentSpanId: spanIdOf('turn run-1/t1/1'),
    });
    expect(tool?.status).toEqual({ code: 2, message: 'no' });
    expect(millis(tool?.endTimeUnixNano) - millis(tool?.startTimeUnixNano)).toBe(50);
    expect(hook).toMatchObject({
      name: 'hook run:started',
      traceId: traceIdOf('run-1'),
      parentSpanId: spanIdOf('run run-1'),
    });
    expect(millis(hook?.endTimeUnixNano) - millis(hook?.startTimeUnixNano)).toBe(20);
    expect(attribute(hook, 'patchbay.plugin')).toEqual({ stringValue: 'notify' });
  });

  it('goes on with a trace after a restart: the same ids, the beginning as far as it is known', async () => {
    const { url, spans } = await receiver();
    await tell(url, [started]);
    const phases = [{ name: 'build', started_at: '2026-01-01T00:00:00.500Z', ended_at: null }];
    const run_summary = { ...sample('run:completed').run_summary, phases };
    await tell(url, [happened('run:completed', '2026-01-01T00:00:04.000Z', { run_summary })]);
    expect(spans()).toMatchObject([{ traceId: traceIdOf('run-1'), spanId: spanIdOf('run run-1') }]);
    expect(millis(spans()[0]?.startTimeUnixNano)).toBe(Date.parse('2026-01-01T00:00:00.500Z'));
  });

  it('is closed all the same where nobody takes spans, and says so', async () => {
    const told = tell('http://127.0.0.1:1', [happened('run:completed', '2026-01-01T00:00:04.000Z')]);
    await expect(told).rejects.toThrow(/could not be sent to http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
  });
});
