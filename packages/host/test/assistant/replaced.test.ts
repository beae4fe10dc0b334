import { expect, it } from 'vitest';
import { Pigeons } from './channel-fixture.ts';
import { Stage, said } from './fixture.ts';

it('a plugin may bring a channel in the place of the terminal', async () => {
  const own = new Pigeons('terminal', { prefixAssistantName: false });
  const stage = await Stage.set({ plugins: [own.plugin] });
  await own.context?.onMessage('terminal:home', said('m1', 'hello'));
  await stage.rest();
  expect(own.sent).toEqual(['terminal:home you said: hello']);
  expect(stage.assistant.channels).toMatchObject([{ name: 'terminal', plugin: 'plugin-terminal' }]);
});

it('without one, what is said at the terminal is in the ledger, and owed to nobody', async () => {
  const stage = await Stage.set();
  await stage.assistant.send('terminal:home', 'hello');
  expect(await stage.ledger.owedPlugins()).toEqual([]);
  expect(await stage.assistant.history('terminal:home', 10)).toMatchObject([{ content: 'hello', is_bot: true }]);
});
