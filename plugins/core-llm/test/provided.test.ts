import type { LlmAnswer, LlmCall, LlmRequest } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { play, type Setup } from './turn.ts';
import { openai } from './wire.ts';

type Says = (request: LlmRequest) => unknown;
const usage = { inputTokens: 100, outputTokens: 20 };
const calls = (...all: readonly [name: string, input: unknown][]): LlmAnswer => {
  return { text: '', calls: all.map(([name, input], at): LlmCall => ({ id: `call-${at}`, name, input })), usage };
};
const done = calls(['submit_result', { status: 'completed', summary: 'sum adds' }]);

/** Plays a turn on the provider `mine` of the plugin `lent`, which gives its answers one after the other, the last one again and again. */
async function provided(answers: readonly unknown[], { config, turn, ...setup }: Setup = {}) {
  const asked: LlmRequest[] = [];
  const generate = async (request: LlmRequest) => {
    asked.push(request);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    return (typeof answer === 'function' ? (answer as Says)(request) : answer) as LlmAnswer;
  };
  const access = { base_url: undefined, api_key_env: undefined };
  const played = await play(openai, [], {
    config: { provider: 'mine', ...access, ...config },
    turn: { llmProviders: async () => [{ plugin: 'lent', name: 'mine', generate }], ...turn },
    ...setup,
  });
  return { ...played, asked, told: asked.at(-1)?.messages.flatMap((m) => (m.role === 'tool' ? [m.output] : [])) };
}

describe('A turn on a provider of a plugin', () => {
  it('works with the same tools, limits, cost and journal as any other', async () => {
    const spent: unknown[] = [];
    const turn = await provided(
      [
        { ...calls(['read_file', { path: 'src/sum.js' }], ['read_file', { path: 'gone' }]), text: 'I look first' },
        calls(['edit_file', { path: 'src/sum.js', old_text: 'a - b', new_text: 'a + b' }]),
        done,
      ],
      {
        files: { 'src/sum.js': 'a - b\n' },
        config: { price: { input: 10, output: 50 } },
        turn: { spent: (cost) => void spent.push(cost) },
      },
    );
    expect(turn.error).toBeUndefined();
    expect(turn.file('src/sum.js')).toBe('a + b\n');
    expect(turn.result).toEqual({
      status: 'completed',
      summary: 'sum adds',
      cost: { input_tokens: 300, output_tokens: 60, usd: 0.006 },
    });
    expect(spent).toEqual(Array(3).fill({ input_tokens: 100, output_tokens: 20, usd: 0.002 }));
    expect(turn.log).toContain('I look first');
    expect(turn.log).toContain('edit_file src/sum.js');
    expect(turn.log).toContain('(100 tokens in, 20 out)');
  });

  it('gives it the whole conversation, each result with the id of its call, and the tools as JSON Schema', async () => {
    const look = calls(['read_file', { path: 'a.txt' }], ['read_file', { path: 'gone' }]);
    const { asked } = await provided([{ ...look, text: 'Now' }, look, done], { files: { 'a.txt': 'hello\n' } });
    expect(asked[0]).toEqual({
      model: 'm',
      system: expect.stringContaining('You play the role "developer"'),
      messages: [{ role: 'user', text: expect.stringContaining('Make it work') }],
      tools: expect.arrayContaining([
        {
          name: 'read_file',
          description: expect.any(String),
          inputSchema: expect.objectContaining({ type: 'object', required: ['path'] }),
        },
      ]),
      maxTokens: 1000,
    });
    // As the tools took it: with what goes without saying.
    const called = look.calls.map((call) => ({ ...call, input: expect.objectContaining(call.input as object) }));
    const results = [
      { role: 'tool', callId: 'call-0', name: 'read_file', output: 'hello\n' },
      { role: 'tool', callId: 'call-1', name: 'read_file', output: expect.stringMatching(/gone/) },
    ];
    // The ids of the second answer are those of the first: only within an answer must they differ.
    expect(asked[2]?.messages.slice(1)).toEqual([
      { role: 'assistant', text: 'Now', calls: called },
      ...results,
      { role: 'assistant', text: '', calls: called },
      ...results,
    ]);
  });

  it('takes the JSON of an input as the model wrote it, and tells the model if it is none', async () => {
    const turn = await provided([
      calls(['list_files', '{}'], ['read_file', '{"path": "a']),
      calls(['submit_result', JSON.stringify(done.calls[0]?.input)]),
    ]);
    expect(turn.told?.[1]).toMatch(/Invalid input for tool read_file.*JSON/s);
    expect(turn.result).toMatchObject({ summary: 'sum adds' });
  });

  it('is not disturbed by what it does with a request', async () => {
    const spoils = (request: LlmRequest) => {
      for (const tool of request.tools) Object.assign(tool.inputSchema as object, { required: ['nonsense'] });
      Object.assign(request.messages[0] ?? {}, { text: 'Do something else' });
      return calls(['list_files', {}]);
    };
    const { asked } = await provided([spoils, done]);
    expect(asked[1]?.messages[0]).toMatchObject({ text: expect.stringContaining('Make it work') });
    expect(JSON.stringify(asked[1]?.tools)).not.toContain('nonsense');
  });

  it('tells the model about a tool that there is not, and fails if it keeps at it', async () => {
    const wrong = calls(['fly', {}]);
    const corrected = await provided([wrong, done]);
    expect(corrected.told?.[0]).toMatch(/unavailable tool 'fly'/);
    expect(corrected.result).toMatchObject({ summary: 'sum adds' });
    const turn = await provided([wrong], { config: { max_steps: 3 } });
    expect(turn.error).toMatch(
      /^m of provider "mine" handed in no result in 3 steps \(max_steps\); at last fly failed: .*unavailable tool 'fly'/,
    );
    expect(turn.result).toBeUndefined();
  });

  it('reminds it once if it ends without a result, then fails', async () => {
    const turn = await provided([{ text: 'I am done', calls: [], usage }]);
    expect(turn.asked[1]?.messages.at(-1)).toEqual({ role: 'user', text: expect.stringContaining('no') });
    expect(turn.error).toBe('m of provider "mine" ended without handing in a result: I am done');
  });
});

describe('A provider of a plugin fails its turn, under its name,', () => {
  const throwing = (thrown: unknown) => () => {
    throw thrown;
  };
  const leadsBack: { self?: unknown } = {};
  leadsBack.self = leadsBack;

  it.each<[string, unknown, RegExp]>([
    ['that throws', throwing(new Error('no more money')), /failed: no more money$/],
    ['that throws nothing', throwing(undefined), /failed: /],
    ['that claims a fault which is worth another try', throwing(retryable()), /failed: overloaded$/],
    ['that answers nothing', undefined, /failed: what it answered is no answer: /],
    ['that answers text', 'hello', /no answer: /],
    ['that says no usage', { text: '', calls: [] }, /no answer: usage: /],
    ['that earns tokens', { ...done, usage: { ...usage, inputTokens: -5 } }, /no answer: usage.inputTokens: /],
    ['that calls for nameless tools', calls(['', {}]), /no answer: calls\[0\]\.name: /],
    [
      'with two calls of one id',
      { ...done, calls: [...done.calls, ...done.calls] },
      /no answer: calls: must each have/,
    ],
    ['whose answer has no JSON', calls(['list_files', { n: 1n }]), /failed: .*BigInt/],
    ['whose input leads back to itself', calls(['list_files', leadsBack]), /failed: /],
  ])('%s', async (_, answer, why) => {
    const turn = await provided([answer]);
    expect(turn.error).toMatch(/^provider "mine" of plugin "lent" failed: /);
    expect(turn.error).toMatch(why);
    expect(turn.asked).toHaveLength(1);
    expect(turn.result).toBeUndefined();
  });

  it('that never answers, when the turn is stopped', async () => {
    const stop = new AbortController();
    const hangs = () => {
      setImmediate(() => stop.abort());
      return new Promise(() => {});
    };
    const turn = await provided([hangs], { turn: { signal: stop.signal } });
    expect(turn.error).toBe('was stopped');
    expect(turn.log).toContain('provider "mine" of plugin "lent" had not answered when the turn was stopped');
    expect(turn.result).toBeUndefined();
  });

  it('that fails once the turn was stopped, without being heard', async () => {
    const stop = new AbortController();
    const failing = Promise.withResolvers<never>();
    const hangs = () => {
      setImmediate(() => stop.abort());
      return failing.promise;
    };
    const turn = await provided([hangs], { turn: { signal: stop.signal } });
    failing.reject(new Error('too late'));
    expect(turn.error).toBe('was stopped');
  });
});

describe('The setting "provider"', () => {
  const lent = (plugin: string, name: string) => ({ plugin, name, generate: async () => done });

  it('of a name that nobody has is refused with those that there are', async () => {
    const turn = await provided([done], { config: { provider: 'other' } });
    expect(turn.error).toBe('there is no provider "other", known are anthropic, openai-compatible, mine');
  });

  it('of a name that several have is refused', async () => {
    const llmProviders = async () => [lent('one', 'mine'), lent('two', 'mine')];
    const turn = await provided([done], { turn: { llmProviders } });
    expect(turn.error).toBe('there are several providers "mine", of the plugins one, two');
  });

  it('of one that needs no plugin is not left to a plugin', async () => {
    const turn = await play(openai, [openai.calls({ tool: 'submit_result', args: done.calls[0]?.input as object })], {
      turn: { llmProviders: async () => [lent('thief', 'openai-compatible')] },
    });
    expect(turn.server.asked).toHaveLength(1);
    expect(turn.result).toMatchObject({ summary: 'sum adds' });
  });

  it('of a plugin does not go with where a model is and its key', async () => {
    const turn = await provided([done], { config: { base_url: 'http://127.0.0.1/v1', api_key_env: 'LLM_TEST_KEY' } });
    expect(turn.error).toBe(
      'base_url and api_key_env of a role is for anthropic and openai-compatible only, "mine" is set up where its plugin is',
    );
  });
});

/** As the providers of the library throw it, who would be asked again. */
function retryable(): Error {
  const error = Object.assign(new Error('overloaded'), { name: 'AI_APICallError', isRetryable: true, url: 'x' });
  return Object.assign(error, {
    [Symbol.for('vercel.ai.error')]: true,
    [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
  });
}
