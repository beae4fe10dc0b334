import { openHost } from 'patchbay-host';
import type { Delivery, LedgerStore } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk/errors';
import { builtins } from '../builtins.ts';
import type { Output, Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';

export const run: Run = async ({ args, cwd, options, version, signal }) => {
  const [id = ''] = args;
  const ledger = await projectLedger(cwd);
  if (ledger === undefined) throw new PatchbayError('DELIVERY_UNKNOWN', `there is no delivery ${id}`);
  const evaluate = options['evaluate'] === true;
  const replayed = await ledger.replay(id, { evaluate }).finally(() => ledger.close());
  const host = await openHost({ cwd, version, builtins });
  try {
    const service = await host.start();
    // What else is to be delivered may take long.
    await Promise.race([service.rest(), made(service.ledger, id), ended(signal)]);
    return show(await service.ledger.delivery(id), 'its plugin cannot be called now');
  } catch (error) {
    if (!(error instanceof PatchbayError) || error.code !== 'PROJECT_HELD') throw error;
    return show(replayed, `left to ${error.message}`);
  } finally {
    await host.close();
  }
};

/** Resolves when a delivery has been made: it ended, or its request was sent and did not arrive. */
function made(ledger: LedgerStore, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = ({ id: whose, status, due_at }: Delivery) => {
      if (whose === id && status !== 'owed' && (status !== 'sending' || due_at !== null)) resolve();
    };
    ledger.on('settled', look);
    ledger.delivery(id).then(look, reject);
  });
}

/** Resolves when the user ends the command. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function show(delivery: Delivery, owedBecause: string): Output {
  const { id, status, message, attempts, due_at } = delivery;
  // One that was sent and did not arrive says why and when it is sent again.
  const hasFailed = status === 'failed' || status === 'refused' || due_at !== null;
  const isOpen = status === 'owed' || (status === 'sending' && attempts === 0);
  const why = isOpen ? owedBecause : due_at === null ? message : `again at ${due_at}: ${message}`;
  const exitCode = hasFailed ? 1 : 0;
  return { json: delivery, text: `${id}: ${status}${why === null ? '' : `, ${why}`}`, exitCode };
}
