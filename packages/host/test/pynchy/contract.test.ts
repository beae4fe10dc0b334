import { hooks } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/eventually.ts';
import { openStore } from '../../../../test/store.ts';
import { collectWorkspaces } from '../../src/assistant/workspaces.ts';
import { openMemory, tunnelStatus } from '../../src/capabilities/index.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { Observers } from '../../src/observers/index.ts';
import { listSkills } from '../../src/skills/index.ts';
import { ledgerFile } from '../ledger/scratch.ts';
import { doors, hostWith } from './fixture.ts';

const plugin = (body: string) => `export default class { ${body} }`;

describe.each(doors)('a plugin of Pynchy, as %s:', (door) => {
  it('pynchy_agent_core_info gives a core with every key of the document', async () => {
    const text = plugin(`pynchy_agent_core_info() { return { name: 'ollama', module: 'ollama/core.js',
      class_name: 'OllamaAgentCore', packages: ['ollama@^0.1.0'], host_source_path: '/srv/ollama' }; }`);
    const { kernel } = await hostWith({ cores: text }, { door });
    expect(await kernel.call('agentCore', {})).toEqual([
      {
        name: 'ollama',
        module: 'ollama/core.js',
        className: 'OllamaAgentCore',
        packages: ['ollama@^0.1.0'],
        hostSourcePath: '/srv/ollama',
      },
    ]);
  });

  it('pynchy_service_handler gives tools: functions that get type, request_id and fields, and answer result or error', async () => {
    const text = plugin(`
      #day = 'monday';
      pynchy_service_handler() { return { tools: {
        list_calendar: async (data) => ({ result: [this.#day, data.type, data.request_id, data.week] }),
        create_event: { handler: async () => ({ error: 'full' }), description: 'Makes one', input_schema: { type: 'object' } },
      } }; }`);
    const { kernel } = await hostWith({ calendar: text }, { door });
    const { entries, owners } = await kernel.call('serviceTools', {});
    expect(owners).toEqual({ list_calendar: 'calendar', create_event: 'calendar' });
    const { list_calendar: list, create_event: create } = entries;
    const request = { type: 'list_calendar', request_id: 'r1', week: 7 };
    expect(typeof list).toBe('function');
    expect(typeof list === 'function' ? await list(request) : null).toEqual({
      result: ['monday', 'list_calendar', 'r1', 7],
    });
    expect(create).toMatchObject({ description: 'Makes one', inputSchema: { type: 'object' } });
    expect(typeof create === 'object' ? await create.handler(request) : null).toEqual({ error: 'full' });
  });

  it('pynchy_skill_paths gives folders of skills', async () => {
    const { kernel } = await hostWith(
      { skilled: plugin(`pynchy_skill_paths() { return ['/s/code-review']; }`) },
      { door },
    );
    const { problems } = await listSkills(kernel);
    expect(problems).toMatchObject([{ plugin: 'skilled', dir: '/s/code-review' }]);
  });

  it('pynchy_create_channel is given the five members of the context, and gives a channel', async () => {
    const text = plugin(`pynchy_create_channel(context) {
      const seen = [];
      return {
        name: 'telegram', prefix_assistant_name: false,
        async connect() {
          await context.on_message_callback('tg:1', { id: 'm1', sender: 'u1', sender_name: 'Ada', content: 'hi', timestamp: 't' });
          await context.on_chat_metadata_callback('tg:1', 't', 'Room');
          const groups = await context.registered_groups();
          await context.send_message('tg:1', Object.keys(groups).join());
          seen.push(context.on_reaction_callback === null);
        },
        async send_message(jid, text) { seen.push(jid + ' ' + text); },
        is_connected() { return seen.length > 0; },
        owns_jid(jid) { return jid.startsWith('tg:'); },
        async disconnect() {},
        async set_typing() {},
        async create_group(name) { return 'tg:' + name + this.name; },
      };
    }`);
    const { kernel } = await hostWith({ telegram: text }, { door });
    const heard: unknown[] = [];
    const [channel] = await kernel.call('channel', {
      onMessage: async (jid, message) => void heard.push(jid, message),
      onChatMetadata: (...args) => void heard.push(args),
      registeredGroups: () => ({ 'tg:1': { folder: 'home', name: 'Home' } }),
      sendMessage: async (...args) => void heard.push(args),
      lastMessage: async () => null,
    });
    expect(channel).toMatchObject({ name: 'telegram', prefixAssistantName: false });
    await channel?.connect();
    const message = { id: 'm1', sender: 'u1', senderName: 'Ada', content: 'hi', timestamp: 't' };
    expect(heard).toEqual(['tg:1', message, ['tg:1', 't', 'Room'], ['tg:1', 'tg:1']]);
    expect([await channel?.isConnected(), await channel?.ownsJid('tg:9'), await channel?.ownsJid('x')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await channel?.createGroup?.('new')).toBe('tg:newtelegram');
    expect(channel?.setTyping).toBeTypeOf('function');
  });

  it('pynchy_container_runtime gives a runtime with the members of the contract', async () => {
    const text =
      plugin(`pynchy_container_runtime() { return { name: 'apple', cli: 'container', is_available: () => true,
      ensure_running: () => { throw new Error('no daemon'); }, list_running_containers: (prefix) => [prefix + '1'] }; }`);
    const { kernel } = await hostWith({ apple: text }, { door });
    const [runtime] = await kernel.call('containerRuntime', {});
    expect(runtime).toMatchObject({ name: 'apple', cli: 'container' });
    expect([await runtime?.isAvailable(), await runtime?.listRunningContainers('p-')]).toEqual([true, ['p-1']]);
    await expect((async () => runtime?.ensureRunning())()).rejects.toThrow('no daemon');
  });

  it('pynchy_tunnel gives a tunnel that is checked', async () => {
    const text = plugin(`pynchy_tunnel() { return { name: 'wg', is_available: () => true, is_connected: () => false,
      status_summary: () => 'down' }; }`);
    const { kernel } = await hostWith({ wire: text }, { door });
    expect(await tunnelStatus(kernel)).toMatchObject([
      { name: 'wg', available: true, connected: false, summary: 'down' },
    ]);
  });

  it('pynchy_observer subscribes to the event bus, by name or by class, and is closed', async () => {
    const text = `import { MessageEvent } from 'patchbay-sdk/pynchy';
      export default class {
        pynchy_observer() { return { name: 'o', seen: [],
          async subscribe(bus) {
            await bus.subscribe(MessageEvent, (event) => { this.seen.push(event.content); });
            await bus.subscribe('ChatClearedEvent', (event) => { this.seen.push(event.chat_jid); });
          },
          async close() { throw new Error('saw ' + this.seen); } }; }
      }`;
    const { kernel, dir } = await hostWith({ watcher: text }, { door });
    const ledger = await openStore(ledgerFile());
    const warnings: string[] = [];
    const observers = await Observers.start({ kernel, ledger, project: dir, warn: (one) => void warnings.push(one) });
    const message = { chat_jid: 'c', sender_name: 'Ada', content: 'hi', timestamp: 't', is_bot: false };
    const none = {
      run_id: null,
      template: null,
      goal: null,
      phase: null,
      role: null,
      turn_id: null,
      attempt: null,
      summary: null,
    };
    await ledger.append(newEvent('message:received', { ...none, ...message }));
    await ledger.append(newEvent('chat:cleared', { ...none, chat_jid: 'c' }));
    await observers.close();
    await ledger.close();
    await eventually(() => expect(warnings.join()).toMatch(/saw hi,c/));
  });

  it('pynchy_memory gives the memory that is used, with the arguments of the document', async () => {
    const text = plugin(`pynchy_memory() { const calls = []; return {
      name: 'jsonl', init: async () => {}, close: async () => {},
      save: async (group_folder, key, content, category, metadata) => { calls.push([group_folder, key, content, category, metadata]); return { key }; },
      recall: async (group_folder, query, category, limit) => [{ group_folder, query, category, limit, calls }],
      forget: async (group_folder, key) => ({ forgotten: key }),
      list_keys: async (group_folder, category) => [{ group_folder, category }] }; }`);
    const { kernel, dir } = await hostWith({ mem: text }, { door });
    const memory = (await openMemory(kernel, dir))?.memory;
    expect(memory?.name).toBe('jsonl');
    expect(await memory?.save('home', 'k', 'v', 'core', { a: 1 })).toEqual({ key: 'k' });
    const calls = [['home', 'k', 'v', 'core', { a: 1 }]];
    expect(await memory?.recall('home', 'q', null, 3)).toEqual([
      { group_folder: 'home', query: 'q', category: null, limit: 3, calls },
    ]);
    expect(await memory?.forget('home', 'k')).toEqual({ forgotten: 'k' });
    expect(await memory?.listKeys('home', 'daily')).toEqual([{ group_folder: 'home', category: 'daily' }]);
  });

  it('pynchy_mcp_server_spec gives one spec or several, with every key of the document', async () => {
    const text =
      plugin(`pynchy_mcp_server_spec() { return [{ name: 'gdrive', type: 'docker', image: 'i:latest', dockerfile: 'D',
      port: 3100, extra_ports: [8888], transport: 'streamable_http', idle_timeout: 60, env: { A: 'b' }, env_forward: ['C'],
      volumes: ['{key}:/x'] }, { name: 'two', command: 'node', args: ['x'] }]; }`);
    const { kernel } = await hostWith({ drive: text }, { door });
    expect(await kernel.call('mcpServers', {})).toEqual([
      [
        {
          name: 'gdrive',
          type: 'docker',
          image: 'i:latest',
          dockerfile: 'D',
          port: 3100,
          extraPorts: [8888],
          transport: 'streamable_http',
          idleTimeout: 60,
          env: { A: 'b' },
          envForward: ['C'],
          volumes: ['{key}:/x'],
        },
        { name: 'two', command: 'node', args: ['x'] },
      ],
    ]);
  });

  it('pynchy_workspace_spec gives a workspace', async () => {
    const text = plugin(`pynchy_workspace_spec() { return { folder: 'code-improver', claude_md: 'old',
      config: { pynchy_repo_access: true, schedule: '0 4 * * *', prompt: 'Improve', context_mode: 'isolated' } }; }`);
    const { kernel, project } = await hostWith({ improver: text }, { door });
    const { workspaces, problems } = await collectWorkspaces(kernel, project?.assistant as never);
    expect(problems).toEqual([]);
    expect(workspaces[0]?.workspace).toMatchObject({
      folder: 'code-improver',
      repoAccess: true,
      schedule: { prompt: 'Improve' },
    });
  });

  it('may implement several hooks, and be an instance', async () => {
    const text = `class P { pynchy_skill_paths() { return ['/a']; } pynchy_tunnel() { return null; } }
      export const plugin = new P();`;
    const { kernel } = await hostWith({ both: text }, { door });
    expect(await kernel.call('skills', {})).toEqual([['/a']]);
    expect(await kernel.call('tunnel', {})).toEqual([]);
  });
});

describe('the order of implementations', () => {
  const gives = (path: string, hint = '') =>
    `const fn = () => ['/${path}']; ${hint}; export default { pynchy_skill_paths: fn };`;
  it('is: the last registered first; tryfirst before all others, trylast after', async () => {
    const { kernel } = await hostWith({
      first: gives('first', 'fn.tryfirst = true'),
      a: gives('a'),
      last: `import { hookimpl } from 'patchbay-sdk/pynchy';
        export default { pynchy_skill_paths: hookimpl(() => ['/last'], { trylast: true }) };`,
      b: gives('b'),
    });
    expect(await kernel.call('skills', {})).toEqual([['/first'], ['/b'], ['/a'], ['/last']]);
  });
});

describe('a plugin of Pynchy that is wrong is refused with its name and what to do:', () => {
  it.each([
    [
      'a hook that there is not',
      `export default class { pynchy_memroy() {} }`,
      /"p".*no hook "pynchy_memroy", did you mean "pynchy_memory"/,
    ],
    ['no hook at all', 'export default class { hello() {} }', /"p".*implements no hook/],
    [
      'a constructor that throws',
      `export default class { constructor() { throw new Error('no key'); } }`,
      /"p".*cannot be made: no key/,
    ],
  ])('%s', async (_, text, message) => {
    await expect(hostWith({ p: text })).rejects.toMatchObject({
      code: 'PLUGIN_INVALID',
      message: expect.stringMatching(message),
    });
    const isolated = await hostWith({ p: text }, { door: 'installed' });
    expect(isolated.quarantined).toMatchObject([{ name: 'p', reason: expect.stringMatching(message) }]);
  });

  it('its configuration comes from config.toml, with references to the environment', async () => {
    process.env['PYNCHY_TEST_TOKEN'] = 'abc';
    const text = `export default class { constructor(config) { this.config = config; } pynchy_skill_paths() { return ['/' + this.config.token]; } }`;
    const { kernel } = await hostWith(
      { p: text },
      { door: 'dependency', toml: '[plugins.p]\ntoken = "${PYNCHY_TEST_TOKEN}"\n' },
    );
    delete process.env['PYNCHY_TEST_TOKEN'];
    expect(await kernel.call('skills', {})).toEqual([['/abc']]);
  });

  it('is not loaded where config.toml says so', async () => {
    const text = `export default class { pynchy_skill_paths() { return ['/x']; } }`;
    const { kernel } = await hostWith({ p: text }, { door: 'dependency', toml: '[plugins.p]\nenabled = false\n' });
    expect(await kernel.call('skills', {})).toEqual([]);
  });
});

describe('a hostile plugin of Pynchy empties no hook for the others:', () => {
  const capabilities = {
    pynchy_agent_core_info: ['agentCore', `{ name: 'good' }`],
    pynchy_service_handler: ['serviceTools', `{ tools: { good: async () => ({ result: 1 }) } }`],
    pynchy_skill_paths: ['skills', `['/good']`],
    pynchy_create_channel: [
      'channel',
      `{ name: 'good', connect: async () => {}, send_message: async () => {}, is_connected: () => true, owns_jid: () => true, disconnect: async () => {} }`,
    ],
    pynchy_container_runtime: [
      'containerRuntime',
      `{ name: 'good', cli: 'x', is_available: () => true, ensure_running: () => {}, list_running_containers: () => [] }`,
    ],
    pynchy_tunnel: [
      'tunnel',
      `{ name: 'good', is_available: () => true, is_connected: () => true, status_summary: () => '' }`,
    ],
    pynchy_observer: ['observer', `{ name: 'good', subscribe: () => {}, close: async () => {} }`],
    pynchy_memory: [
      'memory',
      `{ name: 'good', init: async () => {}, close: async () => {}, save: async () => ({}), recall: async () => [], forget: async () => ({}), list_keys: async () => [] }`,
    ],
    pynchy_mcp_server_spec: ['mcpServers', `{ name: 'good' }`],
    pynchy_workspace_spec: ['workspace', `{ folder: 'good', config: {} }`],
  } as const;
  const payloads = {
    channel: {
      onMessage: async () => {},
      onChatMetadata: () => {},
      registeredGroups: () => ({}),
      sendMessage: async () => {},
      lastMessage: async () => null,
    },
    observer: { project: '/p' },
    memory: { project: '/p' },
  } as Record<string, object>;
  it.each(Object.entries(capabilities))('%s', async (hook, [capability, good]) => {
    const bad = (body: string) => `export default { ${hook}: ${body} };`;
    const text = bad(`Object.assign(() => (${good}), { trylast: true })`);
    const host = await hostWith({
      throws: bad(`() => { throw new Error('out of paper'); }`),
      rejects: bad(`async () => { throw new Error('out of paper'); }`),
      nonsense: bad(`() => ({ nothing: 'of use' })`),
      number: bad('() => 7'),
      none: bad('() => null'),
      good: text,
    });
    const kernel = host.kernel as unknown as { call(hook: string, payload: object): Promise<unknown> };
    const answer = await kernel.call(capability, payloads[capability] ?? {});
    expect(JSON.stringify(answer)).toContain('good');
    expect(JSON.stringify(answer)).not.toContain('of use');
  });

  it.each(Object.entries(capabilities))('%s, where a promise never settles', async (hook, [capability, good]) => {
    const host = await hostWith({
      good: `export default { ${hook}: Object.assign(() => (${good}), { trylast: true }) };`,
    });
    const handler = () => new Promise(() => {});
    host.load({ name: 'hangs', version: '1.0.0', hooks: { [capability]: { deadlineMs: 100, handler } } });
    const kernel = host.kernel as unknown as { call(hook: string, payload: object): Promise<unknown> };
    expect(JSON.stringify(await kernel.call(capability, payloads[capability] ?? {}))).toContain('good');
  });

  it('one that never settles is given up after the deadline of the hook, which is bounded', async () => {
    for (const [capability] of Object.values(capabilities))
      expect(hooks[capability].deadlineMs).toBeLessThanOrEqual(10_000);
    const hangs = `export default class { pynchy_skill_paths() { return new Promise(() => {}); } }`;
    const host = await hostWith({ good: `export default class { pynchy_skill_paths() { return ['/good']; } }`, hangs });
    expect(await host.kernel.call('skills', {})).toEqual([['/good']]);
  });
});
