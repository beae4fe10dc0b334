import { join } from 'node:path';
import { type Host, openHost } from 'patchbay-host';
import { sample, type Webhook } from 'patchbay-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder } from '../../../../test/project.ts';
import { emit, handlersOf, hearing } from './pace-fixture.ts';

const bases = "import { hook, HookBase, PluginBase, WebhookInBase, WebhookOutBase } from 'patchbay-sdk/pace';\n";

/** A host with a module of plugins in a folder of its project. */
async function opened(text: string): Promise<{ host: Host; failures: string[] }> {
  const dir = folder({
    'pace/pace.config.yaml': 'plugins: { dirs: [plugins] }\n',
    'plugins/index.mjs': bases + text,
  });
  const { failures, onFailure } = hearing();
  const host = await openHost({ cwd: dir, version: '0.0.0', onFailure });
  onTestFinished(() => host.close());
  return { host, failures };
}

/** What the plugins of a test have left behind. */
function seen(): unknown[] {
  const told = globalThis as { paceSeen?: unknown[] };
  const all = told.paceSeen ?? [];
  delete told.paceSeen;
  return all;
}
const tell = '(globalThis.paceSeen ??= []).push';

async function routes(host: Host, startRun: (wanted: object) => Promise<string>): Promise<readonly Webhook[]> {
  return (await host.kernel.call('webhooks', { startRun })).flat();
}

const request = (payload: unknown) => ({ path: '/in', payload, headers: { 'x-a': '1' }, raw: JSON.stringify(payload) });

describe('an inbound plugin', () => {
  it('gets payload, headers and the request with its raw body; what it answers is the body of the reply', async () => {
    const { host } = await opened(`export class In extends WebhookInBase {
      path = '/in';
      proof = { scheme: 'bearer', secrets: ['s'] };
      handle(payload, headers, request) { return { got: [payload, headers, request.raw] } }
    }`);
    const [route] = await routes(host, async () => 'run-1');
    expect(route).toMatchObject({ path: '/in', proof: { scheme: 'bearer', secrets: ['s'] } });
    expect(await route?.handle(request({ a: 1 }))).toEqual({ body: { got: [{ a: 1 }, { 'x-a': '1' }, '{"a":1}'] } });
  });

  it('has days run by either name, and the reply waits for them though the author does not', async () => {
    const { host } = await opened(`export class In extends WebhookInBase {
      path = '/in';
      handle({ day }) { this.triggerPipeline({ day }); this.trigger_pipeline(); }
    }`);
    const wanted: object[] = [];
    const { promise: durable, resolve } = Promise.withResolvers<string>();
    const [route] = await routes(host, (one) => {
      wanted.push(one);
      return durable;
    });
    let isAnswered = false;
    const answer = Promise.resolve(route?.handle(request({ day: 3 }))).finally(() => {
      isAnswered = true;
    });
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    resolve('run-1');
    expect(await answer).toEqual({ body: {} });
    expect(wanted).toEqual([
      { template: 'pace', day: 3 },
      { template: 'pace', day: null },
    ]);
  });

  it('fails the request if the day cannot be run, and harms nobody', async () => {
    const { host } = await opened(`export class In extends WebhookInBase {
      path = '/in';
      handle({ quiet }) { this.triggerPipeline(); if (!quiet) throw new Error('nonsense'); }
    }`);
    const [route] = await routes(host, async () => {
      throw new Error('the plan is empty');
    });
    await expect(route?.handle(request({ quiet: true }))).rejects.toThrow('the plan is empty');
    await expect(route?.handle(request({}))).rejects.toThrow('nonsense');
  });
});

describe('an outbound plugin', () => {
  const text = `export class Out extends WebhookOutBase {
    events = ['AFTER_DAY', 'day_held'];
    should_fire(event, context) { return context.day_decision === 'HOLD' && context.hold_reason !== 'quiet'; }
    build_payload(event, context) { return { event, why: context.hold_reason }; }
    async endpoint() { return 'https://example.com/hook'; }
    headers() { return { 'x-kind': 'pace' }; }
  }`;

  it('asks for a request at each event that it names and wants, as the document spells it too', async () => {
    const { host } = await opened(text);
    const answers = async (reason: string) => {
      const told: unknown[] = [];
      const undo = host.kernel.intercept(
        ({ plugin }) =>
          (_, answer) =>
            void (plugin === 'out' && told.push(answer)),
      );
      await host.kernel.call('run:held', sample('run:held', { template: 'pace', reason }));
      undo();
      return told;
    };
    const send = (event: string) => ({
      verdict: 'ok',
      send: { url: 'https://example.com/hook', body: { event, why: 'no test' }, headers: { 'x-kind': 'pace' } },
    });
    expect(await answers('no test')).toEqual([send('AFTER_DAY'), send('day_held')]);
    expect(await answers('quiet')).toEqual([null, null]);
  });

  it('is one delivery for each event, by its name', async () => {
    const { host } = await opened(text);
    expect(handlersOf(host, 'run:held').map(({ handler }) => handler)).toEqual(['AFTER_DAY', 'day_held']);
  });
});

describe('a plugin that combines', () => {
  it('has hooks, routes and deliveries of its own, is started with the host and stopped with it', async () => {
    const { host, failures } = await opened(`
      class In extends WebhookInBase { path = '/in'; handle() { return 1; } }
      class Out extends WebhookOutBase {
        events = ['AFTER_DAY']; buildPayload() { return 2; } endpoint() { return 'https://example.com'; }
      }
      export class All extends PluginBase {
        events = ['AFTER_DAY'];
        run(event) { ${tell}(event); }
        routes() { return [new In(this.config)]; }
        deliveries() { return [new Out(this.config), new Out(this.config)]; }
        async start() { ${tell}('start'); }
        stop() { ${tell}('stop'); }
      }`);
    expect(handlersOf(host, 'run:held').map(({ handler }) => handler)).toEqual([
      'AFTER_DAY',
      'AFTER_DAY#2',
      'AFTER_DAY#3',
    ]);
    expect((await routes(host, async () => 'run-1')).map(({ path }) => path)).toEqual(['/in']);
    const service = await host.start();
    await emit(service, 'run:completed');
    await service.rest();
    await host.close();
    expect([seen(), failures]).toEqual([['start', 'AFTER_DAY', 'stop'], []]);
  });
});

describe('hooks on one event', () => {
  it('are called one after the other in the order in which they were found, though the first is slow', async () => {
    const slow = (name: string) => `export const ${name} = hook(['AFTER_DAY'], async () => {
      ${tell}('${name} begins');
      await new Promise(setImmediate);
      ${tell}('${name} ends');
    });\n`;
    const dir = folder({
      'pace/pace.config.yaml': 'plugins: { dirs: [b, a] }\n',
      'b/index.mjs': bases + slow('second') + slow('first'),
      'a/index.mjs': bases + slow('third'),
    });
    const host = await openHost({ cwd: join(dir, 'a'), version: '0.0.0' });
    onTestFinished(() => host.close());
    const service = await host.start();
    await emit(service, 'run:completed');
    await service.rest();
    // Exports of a module have no order but that of their names.
    expect(seen()).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('before an agent are waited for', async () => {
    const { host } = await opened(`export const slow = hook(['BEFORE_FORGE'], async (event, { attempt }) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      ${tell}(attempt);
    });`);
    const service = await host.start();
    await emit(service, 'turn:dispatched', { role: 'forge', attempt: 2 });
    expect(seen()).toEqual([2]);
  });
});
