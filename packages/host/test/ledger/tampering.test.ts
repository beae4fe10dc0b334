import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { behind, ledgerFile, opened, said } from './scratch.ts';

const count = 5;
const columns = ['id', 'type', 'at', 'run_id', 'turn_id', 'role', 'phase', 'payload', 'hash'];

async function ledgerOf(texts: readonly string[]) {
  const file = ledgerFile();
  const ledger = await opened(file);
  for (const text of texts) await ledger.append(said(text), [{ plugin: 'a', handler: 'a#1' }]);
  return { file, ledger };
}
const some = () => ledgerOf(Array.from({ length: count }, (_, i) => `text ${i}`));

/** Another byte at a place of a text. */
function changed(text: string | null, place: number): string {
  if (text === null) return '';
  const at = Math.floor(place * text.length);
  const other = String.fromCharCode(text.charCodeAt(at) ^ 1);
  return text.slice(0, at) + other + text.slice(at + 1);
}

describe('tampering', () => {
  it.each(columns)('with one byte of %s of any event is found', async (column) => {
    const { file, ledger } = await some();
    for (let seq = 1; seq <= count; seq++) {
      for (const place of [0, 0.5, 0.99]) {
        const write = behind(file, (db) => db.prepare(`SELECT ${column} AS value FROM events WHERE seq = ?`).get(seq));
        const before = write?.['value'] as string | null;
        const set = (value: string | null) =>
          behind(file, (db) => db.prepare(`UPDATE events SET ${column} = ? WHERE seq = ?`).run(value, seq));
        set(changed(before, place));
        const { ok, broken_at, reason, events } = await ledger.verify();
        expect({ ok, broken_at, events }).toEqual({ ok: false, broken_at: seq, events: seq - 1 });
        expect(reason).toContain(`event ${seq}`);
        set(before);
        expect((await ledger.verify()).ok).toBe(true);
      }
    }
  });

  it.each<[what: string, sql: string, brokenAt: number]>([
    ['an event taken out of the middle', 'DELETE FROM events WHERE seq = 3', 3],
    ['the first event taken away', 'DELETE FROM events WHERE seq = 1', 1],
    ['the last event taken away', `DELETE FROM events WHERE seq = ${count}`, count],
    ['all events taken away', 'DELETE FROM events', 1],
    ['an event moved to the end', 'UPDATE events SET seq = 9 WHERE seq = 2', 2],
    [
      'two events swapped',
      'UPDATE events SET seq = -2 WHERE seq = 2; UPDATE events SET seq = 2 WHERE seq = 4; UPDATE events SET seq = 4 WHERE seq = -2',
      2,
    ],
    [
      'the texts of two events swapped',
      'UPDATE events SET payload = (SELECT payload FROM events o WHERE o.seq = 7 - events.seq) WHERE seq IN (3, 4)',
      3,
    ],
    [
      'an event put at the end',
      `INSERT INTO events SELECT seq + 1, 'new', type, at, run_id, turn_id, role, phase, payload, hash FROM events WHERE seq = ${count}`,
      count + 1,
    ],
    [
      'an event put before the first',
      "INSERT INTO events SELECT 0, 'new', type, at, run_id, turn_id, role, phase, payload, hash FROM events WHERE seq = 1",
      0,
    ],
    ['a text made nothing', 'UPDATE events SET role = NULL WHERE seq = 2', 2],
    ['another beginning', "UPDATE chain SET anchor_hash = 'x'", 1],
    ['another end', "UPDATE chain SET head_hash = 'x'", count],
    [
      'the last event and the end taken away',
      `DELETE FROM events WHERE seq = ${count}; UPDATE chain SET head_seq = 4`,
      4,
    ],
  ])('%s is found', async (_, sql, brokenAt) => {
    const { file, ledger } = await some();
    behind(file, (db) => db.exec(sql));
    const { ok, broken_at, reason } = await ledger.verify();
    expect({ ok, broken_at }).toEqual({ ok: false, broken_at: brokenAt });
    expect(reason).not.toBe('');
  });

  it('is found after pruning as well', async () => {
    const { file, ledger } = await some();
    behind(file, (db) => db.exec("UPDATE deliveries SET status = 'ok' WHERE seq <= 2"));
    expect(await ledger.prune(new Date(Date.now() + 1000))).toEqual({ events: 2 });
    expect(await ledger.verify()).toMatchObject({ ok: true, events: 3 });
    behind(file, (db) => db.exec('DELETE FROM events WHERE seq = 3'));
    expect(await ledger.verify()).toMatchObject({ ok: false, broken_at: 3 });
  });

  it('with the file itself is found, too', async () => {
    const { file, ledger } = await ledgerOf(Array.from({ length: 200 }, () => 'x'.repeat(2000)));
    await ledger.close();
    const handle = openSync(file, 'r+');
    // A page that holds an event: those of indexes are not looked at.
    const middle = Math.floor(readFileSync(file).indexOf('x'.repeat(1000), statSync(file).size / 2) / 4096) * 4096;
    writeSync(handle, Buffer.alloc(4096, 0x55), 0, 4096, middle);
    closeSync(handle);
    const again = await opened(file);
    const found = await again.verify().then(
      ({ ok }) => (ok ? 'nothing' : 'broken'),
      ({ code }) => code,
    );
    expect(['broken', 'LEDGER_CORRUPT']).toContain(found);
  });
});
