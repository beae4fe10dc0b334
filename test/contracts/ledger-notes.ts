import { describe, expect, it } from 'vitest';
import type { LedgerStore } from '../../packages/host/src/ledger/store.ts';
import { eventually } from '../eventually.ts';

/** What every store must keep that is no event. */
export function noteContract(ledger: () => LedgerStore, another: () => Promise<LedgerStore>): void {
  describe('notes', () => {
    it('are what was last noted under their key, for other processes too', async () => {
      expect(await ledger().note('a')).toBeUndefined();
      await ledger().setNote('a', { since: '2026-01-01', texts: ['"', '\u0000', 'é'] });
      const other = await another();
      expect(await other.note('a')).toEqual({ since: '2026-01-01', texts: ['"', '\u0000', 'é'] });
      await other.setNote('a', null);
      expect(await ledger().note('a')).toBeNull();
      await Promise.all([1, 2, 3].map((n) => ledger().setNote('a', n)));
      expect(await other.note('a')).toBe(3);
      expect(await other.note('A')).toBeUndefined();
    });

    it('are gone when nothing is noted any more', async () => {
      await ledger().setNote('a', 1);
      await ledger().setNote('a', undefined);
      await ledger().setNote('never there', undefined);
      expect(await ledger().note('a')).toBeUndefined();
      expect(await ledger().notes('')).toEqual(new Map());
    });

    it('are found by how their keys begin, in order', async () => {
      for (const key of ['é /2', 'paused /b', 'paused /a', 'paused', 'é /1', 'Paused /c', 'paused_/d'])
        await ledger().setNote(key, key.length);
      expect([...(await ledger().notes('paused '))]).toEqual([
        ['paused /a', 9],
        ['paused /b', 9],
      ]);
      expect([...(await ledger().notes('é ')).keys()]).toEqual(['é /1', 'é /2']);
      expect((await ledger().notes('')).size).toBe(7);
    });

    it('are told when they are durable: here by their key, elsewhere as any change', async () => {
      const other = await another();
      const heard: string[] = [];
      ledger().on('noted', (key) => heard.push(key));
      other.on('noted', () => heard.push('not here'));
      other.on('elsewhere', () => heard.push('elsewhere'));
      await ledger().setNote('a', 1);
      await ledger().setNote('a', undefined);
      expect(heard.filter((one) => one !== 'elsewhere')).toEqual(['a', 'a']);
      await eventually(() => expect(heard).toContain('elsewhere'));
    });

    it('change nothing of what happened', async () => {
      await ledger().setNote('a', 1);
      expect(await ledger().verify()).toMatchObject({ ok: true, events: 0 });
      await ledger().prune(new Date('2100-01-01'));
      expect(await ledger().note('a')).toBe(1);
    });
  });
}
