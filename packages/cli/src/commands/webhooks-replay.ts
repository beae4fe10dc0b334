import { handleStored } from 'patchbay-host';
import type { Delivery, LedgerStore } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk/errors';
import { beside } from '../carry-on.ts';
import type { Input, Run } from '../command.ts';
import { given, projectLedger } from '../ledger.ts';
import { columns } from '../text.ts';

export const run: Run = async (input) => {
  const { args, options, cwd } = input;
  const [id] = args;
  const failed = options['failed'] === true;
  if (failed === (id !== undefined))
    throw new PatchbayError('USAGE', 'name a request, or say --failed for all that failed');
  const ledger = await projectLedger(cwd);
  try {
    const wanted = id === undefined ? await failedOnes(ledger, options['path']) : [await requestOf(ledger, id)];
    for (const one of wanted) await ledger?.replay(one.id);
    const left = wanted.length === 0 ? null : await handle(input);
    const now = await Promise.all(wanted.map((one) => ledger?.delivery(one.id) ?? one));
    const lines = now.map(({ id: its, handler, status, message }) => [
      its,
      handler,
      status,
      (status === 'owed' ? left : message) ?? '',
    ]);
    const exitCode = now.some(({ status }) => status === 'failed') ? 1 : 0;
    return { json: now, text: now.length === 0 ? 'Nothing failed.' : columns(lines), exitCode };
  } finally {
    await ledger?.close();
  }
};

async function failedOnes(ledger: LedgerStore | undefined, path: unknown): Promise<Delivery[]> {
  const filter = { event: 'webhook:received', status: ['failed'], ...given('handler', path) } as const;
  const found: Delivery[] = [];
  for await (const one of ledger?.deliveries(filter) ?? []) if (isRequest(one)) found.push(one);
  return found;
}

/** What a plugin that takes requests is owed; others only watch. */
function isRequest({ event, awaited }: Delivery): boolean {
  return event === 'webhook:received' && awaited;
}

/** By the id of its delivery, or of its event. */
async function requestOf(ledger: LedgerStore | undefined, id: string): Promise<Delivery> {
  const event = /^\d+\.\d+$/.test(id) ? undefined : await ledger?.event(id);
  const unknown = () => new PatchbayError('DELIVERY_UNKNOWN', `there is no request ${id} that came in`);
  if (ledger === undefined || (event === undefined && !id.includes('.'))) throw unknown();
  const delivery = await ledger.delivery(event === undefined ? id : `${event.seq}.1`);
  if (!isRequest(delivery)) throw unknown();
  return delivery;
}

/** Why those are left that are not handled after this. */
function handle(input: Input): Promise<string> {
  return beside(input, async (host) => {
    try {
      const service = await host.start();
      const { kernel, project } = host;
      if (project !== undefined) await handleStored({ kernel, service, project });
      return 'its plugin is not there, or the path is paused';
    } catch (error) {
      if (!(error instanceof PatchbayError) || error.code !== 'PROJECT_HELD') throw error;
      return `left to ${error.message}`;
    }
  });
}
