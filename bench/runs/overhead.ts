import type { AnyPayload, LedgerStore, Owed } from '../../packages/host/src/ledger/store.ts';
import type { Service } from '../../packages/host/src/service.ts';
import { inFolder } from '../deliveries/project.ts';
import { sideBySide, type Taken } from '../deliveries/side-by-side.ts';
import { withListeners } from './host.ts';
import { runMany, runOnce, templateOf } from './idle.ts';

/** Turns of a run that is measured. */
export const turns = 20;

interface Append {
  readonly payload: AnyPayload;
  readonly owes: readonly Owed[];
}

/** What a run appends. */
async function appendsOf(service: Service): Promise<Append[]> {
  const { ledger } = service;
  const { append } = ledger;
  const appends: Append[] = [];
  ledger.append = (payload, owes = [], options = {}) => {
    appends.push({ payload, owes });
    return append.call(ledger, payload, owes, options);
  };
  await runOnce(service, templateOf(turns));
  ledger.append = append;
  await service.rest();
  return appends;
}

/** The same, appended to another run, each when the one before it is durable; with `settles`, as well what awaited answers cost. */
async function again(ledger: LedgerStore, appends: readonly Append[], settles: boolean): Promise<void> {
  const run_id = `run-${crypto.randomUUID()}`;
  for (const { payload, owes } of appends) {
    const own = { ...payload, run_id, event_id: crypto.randomUUID() } as AnyPayload;
    const { deliveries } = await ledger.append(own, owes);
    const awaited = deliveries.filter((delivery) => settles && delivery.awaited);
    await Promise.all(awaited.map(({ id }) => ledger.settle(id, { status: 'ok', duration_ms: 0 })));
  }
}

/** Milliseconds of a run whose turns do nothing (`engine`), of its appends alone, and of all that it makes durable (`writes`). */
export function besideItsAppends(rounds: number, names: readonly string[]): Promise<Taken> {
  return inFolder((dir) =>
    withListeners(`${dir}/project`, names, async (service) => {
      const appends = await appendsOf(service);
      const timed = (act: () => Promise<unknown>) => async () => {
        const start = performance.now();
        await act();
        const ms = performance.now() - start;
        await service.rest();
        return ms;
      };
      return sideBySide(
        {
          engine: timed(() => runOnce(service, templateOf(turns))),
          appends: timed(() => again(service.ledger, appends, false)),
          writes: timed(() => again(service.ledger, appends, true)),
        },
        rounds,
      );
    }),
  );
}

/** Milliseconds of a run in a ledger of so many finished runs, in each of two. */
export function inLedgersOf(
  [small, large]: readonly [number, number],
  rounds: number,
  names: readonly string[],
): Promise<Taken> {
  const template = templateOf(1);
  return inFolder((dir) =>
    withListeners(`${dir}/small`, names, (few) =>
      withListeners(`${dir}/large`, names, async (many) => {
        await runMany(few, template, small);
        await runMany(many, template, large);
        const one = (service: Service) => async () => {
          const start = performance.now();
          await runOnce(service, templateOf(5));
          const ms = performance.now() - start;
          await service.rest();
          return ms;
        };
        return sideBySide({ small: one(few), large: one(many) }, rounds, 5);
      }),
    ),
  );
}

/** How many runs of one turn are carried out in a second, many at the same time, all told to those who listen. */
export function runsPerSecond(count: number, names: readonly string[]): Promise<number> {
  return inFolder((dir) =>
    withListeners(`${dir}/project`, names, async (service) => {
      await runMany(service, templateOf(1), Math.ceil(count / 10));
      const start = performance.now();
      await runMany(service, templateOf(1), count);
      return (1000 * count) / (performance.now() - start);
    }),
  );
}
