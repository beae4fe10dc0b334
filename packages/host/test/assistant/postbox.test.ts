import { describe, expect, it } from 'vitest';
import type { ChannelLink } from '../../src/assistant/channel-link.ts';
import { Postbox } from '../../src/assistant/postbox.ts';
import { channelQueue } from '../../src/assistant/queues.ts';
import { newEvent } from '../../src/ledger/index.ts';
import { opened } from '../ledger/scratch.ts';

const day = 24 * 3_600_000;

async function owing(texts: readonly string[]) {
  const ledger = await opened();
  for (const content of texts) {
    const about = { chat_jid: 'pigeon:1', sender_name: 'Bay', content, timestamp: '', is_bot: true };
    const owed = { plugin: channelQueue('pigeon'), handler: 'pigeon:1', awaited: true };
    await ledger.append(newEvent('message:sent', about), [owed]);
  }
  return ledger;
}

function linkOf(send: ChannelLink['send']): ChannelLink {
  return { isUp: true, isPrefixed: false, send } as unknown as ChannelLink;
}

describe('what could not be sent', () => {
  it('for a day is given up and told, and what came after it is sent', async () => {
    const ledger = await owing(['a', 'b']);
    let now = Date.now();
    const given: string[] = [];
    const sent: string[] = [];
    const link = linkOf(async (_, text) => {
      if (text === 'a') throw new Error('hawk');
      sent.push(text);
    });
    const postbox = new Postbox({
      ledger,
      link: () => link,
      name: 'Bay',
      failed: async (_, message) => void given.push(message),
      warn: () => {},
      backoffMs: () => 10,
      now: () => now,
    });
    await postbox.start();
    now += day + 1000;
    postbox.wake('pigeon');
    await expect.poll(() => sent).toEqual(['b']);
    expect(given).toEqual(['given up after a day: hawk']);
    const statuses: string[] = [];
    for await (const { status } of ledger.deliveries()) statuses.push(status);
    await expect.poll(async () => (await ledger.owedPlugins()).length).toBe(0);
    expect(statuses[0]).toBe('failed');
    await postbox.close();
  });

  it('is sent when somebody wants it again', async () => {
    const ledger = await owing(['a']);
    await ledger.settle('1.1', { status: 'failed', message: 'given up' });
    const sent: string[] = [];
    const link = linkOf(async (_, text) => void sent.push(text));
    const postbox = new Postbox({ ledger, link: () => link, name: 'Bay', warn: () => {}, failed: async () => {} });
    await postbox.start();
    await ledger.replay('1.1');
    await expect.poll(() => sent).toEqual(['a']);
    await postbox.close();
  });

  it('by a channel that is not there any more waits for a day', async () => {
    const ledger = await owing(['a']);
    const given: string[] = [];
    const parts = {
      ledger,
      link: () => undefined,
      name: 'Bay',
      failed: async (_: unknown, why: string) => void given.push(why),
      warn: () => {},
    };
    const early = new Postbox(parts);
    await early.start();
    await early.close();
    expect(given).toEqual([]);
    const late = new Postbox({ ...parts, now: () => Date.now() + 2 * day });
    await late.start();
    await expect.poll(() => given).toEqual(['given up after a day: the channel was not there']);
    await late.close();
  });
});
