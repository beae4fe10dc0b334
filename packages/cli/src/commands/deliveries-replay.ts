import { openHost } from 'patchbay-host';
import type { Delivery } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk/errors';
import type { Output, Run } from '../command.ts';
import { projectLedger } from '../ledger.ts';

export const run: Run = async ({ args, cwd, version, signal }) => {
  const [id = ''] = args;
  const ledger = await projectLedger(cwd);
  if (ledger === undefined) throw new PatchbayError('DELIVERY_UNKNOWN', `there is no delivery ${id}`);
  const replayed = await ledger.replay(id).finally(() => ledger.close());
  const host = await openHost({ cwd, version });
  try {
    const service = await host.start();
    await Promise.race([service.rest(), ended(signal)]);
    return show(await service.ledger.delivery(id), 'its plugin cannot be called now');
  } catch (error) {
    if (!(error instanceof PatchbayError) || error.code !== 'PROJECT_HELD') throw error;
    return show(replayed, `left to ${error.message}`);
  } finally {
    await host.close();
  }
};

/** Resolves when the user ends the command. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function show(delivery: Delivery, owedBecause: string): Output {
  const { id, status, message } = delivery;
  const why = status === 'owed' ? owedBecause : message;
  const exitCode = status === 'failed' || status === 'refused' ? 1 : 0;
  return { json: delivery, text: `${id}: ${status}${why === null ? '' : `, ${why}`}`, exitCode };
}
