import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type EventBus, sample } from 'patchbay-sdk';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../test/project.ts';
import { type SqliteSettings, sqliteObserver } from '../sqlite.ts';

type Told = Readonly<Record<string, unknown>>;

/** Tells an observer of these events, and closes it. */
async function keep(dir: string, events: readonly Told[], settings: SqliteSettings = {}) {
  const observer = sqliteObserver(dir, settings);
  let hear: (told: Told) => unknown = () => {};
  const bus: EventBus = {
    subscribe: (_, listener) => {
      hear = listener;
      return () => {};
    },
  };
  await observer.subscribe(bus);
  for (const event of events) await hear(event);
  await observer.close();
}

function kept(dir: string, file = '.patchbay/events.sqlite') {
  const database = new DatabaseSync(join(dir, file));
  const rows = database.prepare('SELECT id, type, chat_jid, payload FROM events ORDER BY rowid').all();
  database.close();
  return rows as { id: string; type: string; chat_jid: string | null; payload: string }[];
}

const event = (id: number, at = new Date()): Told => {
  return { ...sample('message:received'), event_id: `e${id}`, at: at.toISOString(), content: `no ${id}` };
};

describe('the observer "sqlite"', () => {
  it('keeps every event with its payload, to be asked for in SQL', async () => {
    const dir = folder();
    await keep(dir, [event(1), event(2)]);
    const rows = kept(dir);
    expect(rows.map(({ id, type }) => [id, type])).toEqual([
      ['e1', 'message:received'],
      ['e2', 'message:received'],
    ]);
    expect(JSON.parse(rows[1]?.payload ?? '')).toMatchObject({ content: 'no 2' });
    expect(rows[0]?.chat_jid).toBe(sample('message:received').chat_jid);
  });

  it('keeps one that it is told of twice once, and goes on in the same file', async () => {
    const dir = folder();
    await keep(dir, [event(1)]);
    await keep(dir, [event(1), event(2)]);
    expect(kept(dir).map(({ id }) => id)).toEqual(['e1', 'e2']);
  });

  it('writes more than fit into one batch, all of them, in order', async () => {
    const dir = folder();
    await keep(
      dir,
      Array.from({ length: 1234 }, (_, i) => event(i)),
      { file: 'all.sqlite' },
    );
    expect(kept(dir, 'all.sqlite').map(({ id }) => id)).toEqual(Array.from({ length: 1234 }, (_, i) => `e${i}`));
  });

  it('removes those that are too old, or too many', async () => {
    const dir = folder();
    const old = event(1, new Date(Date.now() - 3 * 86_400_000));
    await keep(dir, [old, event(2), event(3), event(4)], { days: 2 });
    expect(kept(dir).map(({ id }) => id)).toEqual(['e2', 'e3', 'e4']);
    await keep(dir, [event(5)], { maxEvents: 2 });
    expect(kept(dir).map(({ id }) => id)).toEqual(['e4', 'e5']);
  });
});
