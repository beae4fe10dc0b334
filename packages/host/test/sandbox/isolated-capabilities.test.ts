import { sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { bench, pluginText } from './isolated-fixture.ts';

const memory = `
  class Kept {
    name = 'kept';
    handle = new WeakMap();
    #entries = new Map();
    async init() {}
    async close() {}
    async save(group, key, content) { this.#entries.set(group + key, content); return { saved: this.#entries.size }; }
    async recall() { return [...this.#entries.values()].map((content) => ({ content })); }
    async forget() { throw new RangeError('never forgets'); }
    async listKeys() { process.exit(9); }
  }
  const kept = new Kept();`;

async function remembering(idleMs = 60_000) {
  const text = pluginText(`'turn:accepted': () => process.exit(1)`, memory, 'provides: { memory: () => kept }');
  const at = bench(text, { limits: { idleMs } });
  await at.register();
  const it = await at.kernel.call('memory', { project: '/' });
  if (it === null) throw new Error('there is no memory');
  return { ...at, it };
}

describe('what an isolated plugin provides', () => {
  it('may be an object with a class: its methods work on it', async () => {
    const { it: memory } = await remembering();
    expect(memory.name).toBe('kept');
    expect(await memory.save('g', 'a', 'one', 'core', null)).toEqual({ saved: 1 });
    expect(await memory.save('g', 'b', 'two', 'core', null)).toEqual({ saved: 2 });
    expect(await memory.recall('g', '', null, 9)).toEqual([{ content: 'one' }, { content: 'two' }]);
  });

  it('rejects as its functions do', async () => {
    const { it: memory } = await remembering();
    await expect(memory.forget('g', 'a')).rejects.toMatchObject({ name: 'RangeError', message: 'never forgets' });
  });

  it('rejects, naming the plugin, once its process has ended', async () => {
    const { it: memory, plugin } = await remembering();
    await expect(memory.listKeys('g', null)).rejects.toThrow('the process of plugin "it" exited with code 9');
    await plugin.describe();
    expect(plugin.state()).toMatchObject({ running: true, starts: 2 });
    await expect(memory.save('g', 'a', 'one', 'core', null)).rejects.toMatchObject({
      code: 'HANDLER_FAILED',
      plugin: 'it',
    });
  });

  it('keeps its process from being stopped for being idle', async () => {
    const { it: memory, plugin } = await remembering(100);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await memory.save('g', 'a', 'one', 'core', null)).toEqual({ saved: 1 });
    expect(plugin.state().starts).toBe(1);
  });

  it('is told when what it was given a signal for is not wanted any more', async () => {
    const { kernel, plugin, register } = bench(
      pluginText(
        '',
        '',
        `provides: { llmProvider: () => ({ name: 'slow', generate: (request, { signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped: ' + request.model)))) }) }`,
      ),
    );
    await register();
    const [provider] = await kernel.call('llmProvider', {});
    const stop = new AbortController();
    const request = { model: 'm', system: '', messages: [], tools: [] };
    const asked = provider?.generate(request, { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(asked).rejects.toThrow('stopped: m');
    await expect(provider?.generate(request, { signal: AbortSignal.abort() })).rejects.toThrow('stopped: m');
    expect(plugin.state()).toMatchObject({ running: true, starts: 1 });
  });

  it('is ended, and nobody else with it, if it does not heed that', async () => {
    const { kernel, plugin, register } = bench(
      pluginText('', '', `provides: { llmProvider: () => ({ name: 'deaf', generate: () => new Promise(() => {}) }) }`),
    );
    await register();
    const [provider] = await kernel.call('llmProvider', {});
    const asked = provider?.generate(
      { model: 'm', system: '', messages: [], tools: [] },
      { signal: AbortSignal.abort() },
    );
    await expect(asked).rejects.toThrow(/process of plugin "it" .*did not answer in time, nor heeded its signal/);
    await plugin.describe();
    expect(plugin.state()).toMatchObject({ running: true, starts: 2 });
  });

  it('is called anew after a crash', async () => {
    const { kernel, plugin } = await remembering();
    await kernel.call('turn:accepted', sample('turn:accepted'));
    const memory = await kernel.call('memory', { project: '/' });
    expect(await memory?.save('g', 'a', 'one', 'core', null)).toEqual({ saved: 1 });
    expect(plugin.state().starts).toBe(2);
  });

  it('is blamed if it is not what the capability asks for', async () => {
    const { kernel, failures, register } = bench(pluginText('', '', `provides: { memory: () => ({ name: 'half' }) }`));
    await register();
    expect(await kernel.call('memory', { project: '/' })).toBeNull();
    expect(failures[0]).toMatchObject({ code: 'HANDLER_ANSWER', plugin: 'it' });
  });

  it('may use the functions that it is given', async () => {
    const channel = `(context) => ({ name: 'loud', connect: async () => {
        await context.onMessage('jid', { content: 'hello' });
        const groups = await context.registeredGroups();
        await context.sendMessage('jid', 'I know ' + Object.keys(groups));
      }, sendMessage: async () => {}, isConnected: () => true, ownsJid: (jid) => jid === 'jid', disconnect: async () => {} })`;
    const { kernel, register } = bench(pluginText('', '', `provides: { channel: ${channel} }`));
    await register();
    const seen: unknown[] = [];
    const [loud] = await kernel.call('channel', {
      onMessage: async (jid, message) => void seen.push(['message', jid, message]),
      onChatMetadata: () => {},
      registeredGroups: () => ({ home: { folder: '/home', name: 'Home' } }),
      sendMessage: async (jid, text) => void seen.push(['send', jid, text]),
      lastMessage: async () => null,
    });
    await loud?.connect();
    expect(seen).toEqual([
      ['message', 'jid', { content: 'hello' }],
      ['send', 'jid', 'I know home'],
    ]);
    expect(await loud?.ownsJid('jid')).toBe(true);
  });

  it('may hand over functions when it is called', async () => {
    const observer = `() => ({ name: 'watch', close: async () => {}, subscribe: async (bus) => {
        const stop = await bus.subscribe('chat', async ({ n }) => { if (n === 2) await stop(); }); } })`;
    const { kernel, register } = bench(pluginText('', '', `provides: { observer: ${observer} }`));
    await register();
    const [watch] = await kernel.call('observer', { project: '/p' });
    let listener: ((payload: { n: number }) => unknown) | undefined;
    let stopped = 0;
    await watch?.subscribe({
      subscribe: (_, given) => {
        listener = given as typeof listener;
        return () => void stopped++;
      },
    });
    await listener?.({ n: 1 });
    expect(stopped).toBe(0);
    await listener?.({ n: 2 });
    expect(stopped).toBe(1);
  });
});
