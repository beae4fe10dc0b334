import { describe, expect, it } from 'vitest';
import type { LedgerStore } from '../../packages/host/src/ledger/store.ts';
import { all, chat, event } from './ledger-parts.ts';

/** What every store must know of runs. */
export function runContract(ledger: () => LedgerStore, another: () => Promise<LedgerStore>): void {
  const request = (run_id: string) => ({ run_id, template: 'governed', goal: 'Make it work', by: 'ada' });

  describe('runs', () => {
    it('are pending when they are requested, once', async () => {
      expect(await ledger().requestRun(request('r'))).toBe(true);
      expect(await ledger().requestRun({ ...request('r'), goal: 'Something else' })).toBe(false);
      expect(await ledger().run('r')).toMatchObject({
        run_id: 'r',
        status: 'pending',
        template: 'governed',
        goal: 'Make it work',
        request: { by: 'ada' },
        head: 0,
      });
      expect(await ledger().run('nobody')).toBeUndefined();
    });

    it('stand where their last step left them, for other processes too', async () => {
      await ledger().requestRun(request('r'));
      const steps = [
        ['run:started', 'active'],
        ['turn:dispatched', 'active'],
        ['approval:requested', 'waiting'],
        ['approval:decided', 'waiting'],
        ['gate:completion', 'active'],
        ['run:completed', 'completed'],
      ] as const;
      const other = await another();
      for (const [type, status] of steps) {
        const { event: kept } = await ledger().append(event(type, 'r'));
        expect([type, await other.run('r')]).toMatchObject([type, { status, head: kept.seq }]);
      }
    });

    it('do not move by what happens beside them', async () => {
      const { event: step } = await ledger().append(event('run:started', 'r'));
      await ledger().append(chat('r', 'hello'));
      await ledger().append(event('delivery:failed', 'r'));
      expect(await ledger().run('r')).toMatchObject({ head: step.seq });
    });

    it('take a step only after the last one that its maker knows', async () => {
      const { event: first } = await ledger().append(event('run:started', 'r'), [], { after: 0 });
      const late = ledger().append(event('turn:dispatched', 'r'), [], { after: 0 });
      await expect(late).rejects.toMatchObject({ code: 'RUN_MOVED', run: 'r' });
      const { event: second } = await ledger().append(event('turn:dispatched', 'r'), [], { after: first.seq });
      expect(await ledger().run('r')).toMatchObject({ head: second.seq });
      expect(await all(ledger().events({ run: 'r' }))).toHaveLength(2);
    });

    it('take a step after one that may not be written yet, if that is written and the last', async () => {
      const [begun, next, late] = [event('run:started', 'r'), event('turn:dispatched', 'r'), event('turn:failed', 'r')];
      const both = await Promise.all([
        ledger().append(begun, [], { after: 0 }),
        ledger().append(next, [], { after: begun.event_id }),
      ]);
      expect(both[1].event.seq).toBe(both[0].event.seq + 1);
      const moved = { code: 'RUN_MOVED', run: 'r' };
      await expect(ledger().append(late, [], { after: begun.event_id })).rejects.toMatchObject(moved);
      const other = await another();
      expect((await other.append(late, [], { after: next.event_id })).event.seq).toBe(both[1].event.seq + 1);
    });

    it('take no step after one that was refused', async () => {
      await ledger().append(event('run:started', 'r'));
      const [refused, next] = [event('turn:dispatched', 'r'), event('turn:failed', 'r')];
      const made = await Promise.allSettled([
        ledger().append(refused, [], { after: 0 }),
        ledger().append(next, [], { after: refused.event_id }),
      ]);
      const moved = { status: 'rejected', reason: { code: 'RUN_MOVED', run: 'r' } };
      expect(made).toMatchObject([moved, moved]);
      expect(await all(ledger().events({ run: 'r' }))).toHaveLength(1);
    });

    it('take one of many steps that are made at the same moment, whoever makes them', async () => {
      const { event: first } = await ledger().append(event('run:started', 'r'));
      const other = await another();
      const makers = [ledger(), other, ledger(), other, ledger()];
      const made = await Promise.allSettled(
        makers.map((one) => one.append(event('turn:dispatched', 'r'), [], { after: first.seq })),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('know a step that is made again, however far they have gone', async () => {
      const step = event('run:started', 'r');
      const { event: first } = await ledger().append(step, [], { after: 0 });
      await ledger().append(event('turn:dispatched', 'r'));
      const again = await ledger().append(step, [], { after: 0 });
      expect(again).toMatchObject({ known: true, event: { seq: first.seq } });
    });

    it('are listed in the order in which they were begun, all or by status', async () => {
      for (const id of ['a', 'b', 'c']) await ledger().requestRun(request(id));
      await ledger().append(event('run:started', 'b'));
      await ledger().append(event('run:completed', 'c'));
      const ids = async (filter: Parameters<LedgerStore['runs']>[0]) =>
        (await all(ledger().runs(filter))).map(({ run_id }) => run_id);
      expect(await ids({})).toEqual(['a', 'b', 'c']);
      expect(await ids({ newestFirst: true, limit: 2 })).toEqual(['c', 'b']);
      expect(await ids({ status: ['pending', 'active'] })).toEqual(['a', 'b']);
      expect(await ids({ status: ['held'] })).toEqual([]);
    });

    it('are listed from any of them on, in either order', async () => {
      for (const id of ['a', 'b', 'c']) await ledger().requestRun(request(id));
      const ids = async (filter: Parameters<LedgerStore['runs']>[0]) =>
        (await all(ledger().runs(filter))).map(({ run_id }) => run_id);
      expect(await ids({ after: 'a' })).toEqual(['b', 'c']);
      expect(await ids({ after: 'b', newestFirst: true })).toEqual(['a']);
      expect(await ids({ after: 'a', limit: 1, status: ['pending'] })).toEqual(['b']);
      expect(await ids({ after: 'nobody' })).toEqual([]);
    });

    it('are heard of when they are requested, once', async () => {
      const heard: string[] = [];
      const off = ledger().on('requested', (run_id) => heard.push(run_id));
      await ledger().requestRun(request('a'));
      await ledger().requestRun(request('a'));
      off();
      await ledger().requestRun(request('b'));
      expect(heard).toEqual(['a']);
    });

    it('that have not ended keep their events from being pruned', async () => {
      await ledger().append(event('run:started', 'r'));
      const far = new Date('2100-01-01');
      expect(await ledger().prune(far)).toEqual({ events: 0 });
      await ledger().append(event('run:completed', 'r'));
      expect(await ledger().prune(far)).toEqual({ events: 2 });
    });
  });
}
