import { describe, expect, it } from 'vitest';
import { key, play } from './turn.ts';
import { anthropic, openai } from './wire.ts';

const result = { tool: 'submit_result', args: { status: 'completed', summary: 'done' } };

describe.each([openai, anthropic])('A provider that speaks $provider', (wire) => {
  it('is asked again when it was asked too often', async () => {
    const turn = await play(wire, [wire.fails(429, 'slow down'), wire.calls(result)]);
    expect(turn.error).toBeUndefined();
    expect(turn.server.asked).toHaveLength(2);
    expect(turn.result).toMatchObject({ cost: { input_tokens: 100, output_tokens: 20, usd: 0 } });
  });

  it('is given up when it keeps failing', async () => {
    const turn = await play(wire, [wire.fails(500, 'out of order')]);
    expect(turn.error).toMatch(/^127\.0\.0\.1:\d+ answered 500 3 times: out of order$/);
    expect(turn.server.asked).toHaveLength(3);
  });

  it('is not asked again when it does not know the key, which is not shown', async () => {
    const turn = await play(wire, [wire.fails(401, `Incorrect API key provided: ${key}`)]);
    expect(turn.error).toMatch(/answered 401: Incorrect API key provided: \*\*\*; is LLM_TEST_KEY the right key\?$/);
    expect(turn.server.asked).toHaveLength(1);
  });

  it('that does not answer is left when the turn is stopped', async () => {
    const stop = new AbortController();
    const turn = await play(wire, [null], {
      turn: { signal: stop.signal },
      meanwhile: ({ reached }) => void reached.then(() => stop.abort()),
    });
    expect(turn.error).toBe('was stopped');
    expect(turn.result).toBeUndefined();
  });

  it('that answers something else is named', async () => {
    const turn = await play(wire, [{ body: '<html>hello</html>', headers: { 'content-type': 'text/html' } }]);
    expect(turn.error).toMatch(/^127\.0\.0\.1:\d+ answered 200: Invalid JSON response/);
  });

  it('is not followed to another address', async () => {
    const elsewhere = await play(wire, [wire.calls(result)]);
    const location = `${elsewhere.server.url}/elsewhere`;
    const turn = await play(wire, [{ status: 307, headers: { location }, body: {} }]);
    expect(turn.error).toMatch(/answered 307/);
    expect(elsewhere.server.asked).toHaveLength(1);
  });

  it('never finds its key in the log, whoever says it', async () => {
    const turn = await play(
      wire,
      [wire.calls({ tool: 'exec', args: { command: `echo ${key}; cat ${key}` } }), wire.says(`key: ${key}`)],
      { config: { exec: true } },
    );
    expect(turn.log.join('\n')).toContain('key: ***');
    expect(turn.log.join('\n') + turn.error).not.toContain(key);
  });
});

describe('A turn that is stopped', () => {
  it('before it begins asks nobody', async () => {
    const turn = await play(openai, [openai.calls(result)], { turn: { signal: AbortSignal.abort() } });
    expect(turn).toMatchObject({ error: 'was stopped', result: undefined });
    expect(turn.server.asked).toHaveLength(0);
  });

  it('while a command runs leaves no result', async () => {
    const stop = new AbortController();
    const exec = openai.calls({ tool: 'exec', args: { command: 'exec sleep 60' } }, result);
    const log = (line: string) => void (line.startsWith('exec') && setImmediate(() => stop.abort()));
    const turn = await play(openai, [exec], { config: { exec: true }, turn: { signal: stop.signal, log } });
    expect(turn).toMatchObject({ error: 'was stopped', result: undefined });
    expect(turn.server.asked).toHaveLength(1);
  });

  it('while the result is handed in leaves none', async () => {
    const stop = new AbortController();
    const log = (line: string) => void (line.startsWith('submit_result') && stop.abort());
    const turn = await play(openai, [openai.calls(result)], { turn: { signal: stop.signal, log } });
    expect(turn).toMatchObject({ error: 'was stopped', result: undefined });
  });

  it('while it waits to ask again ends before that', async () => {
    const stop = new AbortController();
    const busy = { ...openai.fails(503, 'busy'), headers: { 'retry-after': '50' } } as never;
    const turn = await play(openai, [busy], {
      turn: { signal: stop.signal },
      // Nothing tells from outside that the pause of 50 s has begun; the turn must end either way.
      meanwhile: ({ reached }) => void reached.then(() => setTimeout(() => stop.abort(), 50)),
    });
    expect(turn.error).toBe('was stopped');
    expect(turn.server.asked).toHaveLength(1);
  });
});

describe('Settings', () => {
  it.each([
    [{ model: undefined }, /model: /],
    [{ provider: '' }, /provider: /],
    [{ provider: 'antropic' }, /no provider "antropic", known are anthropic, .*did you mean "anthropic"/],
    [{ base_url: undefined }, /base_url: is needed/],
    [{ base_url: 'file:///etc' }, /base_url: /],
    [{ max_steps: 0, exec: 'yes' }, /max_steps: .*exec: /],
    [{ api_key: 'sk-1' }, /api_key/],
    [{ env: ['LLM_TEST_KEY'] }, /would show the key/],
    [{ provider: 'anthropic', api_key_env: undefined }, /api_key_env: is needed/],
    [{ api_key_env: 'NOT_SET_ANYWHERE' }, /NOT_SET_ANYWHERE.* is not set/],
  ])('%j are refused with what is wrong', async (config, why) => {
    const turn = await play(openai, [openai.calls(result)], { config });
    expect(turn.error).toMatch(why);
    expect(turn.server.asked).toHaveLength(0);
  });
});
