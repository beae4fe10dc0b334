import { listWebhooks, openProjectLedger, type ShownWebhook } from 'patchbay-host';
import type { LedgerStore } from 'patchbay-host/ledger';
import { PatchbayError } from 'patchbay-sdk/errors';
import { beside } from './carry-on.ts';
import type { Input, Output } from './command.ts';
import { projectIn, projectLedger } from './ledger.ts';
import { columns } from './text.ts';

/** The routes of the project. Throws PROJECT_MISSING. */
export async function projectWebhooks(input: Input): Promise<ShownWebhook[]> {
  const ledger = await projectLedger(input.cwd);
  try {
    return await beside(input, ({ kernel, project }) => listWebhooks(kernel, project?.dir ?? input.cwd, ledger));
  } finally {
    await ledger?.close();
  }
}

/** Changes something about a path, or about all, and shows what there is after that. Throws WEBHOOK_UNKNOWN. */
export async function changeWebhooks(
  input: Input,
  change: (ledger: LedgerStore, dir: string, path: string | null) => Promise<void>,
): Promise<Output> {
  const [path = null] = input.args;
  const webhooks = await projectWebhooks(input);
  if (path !== null && !webhooks.some((webhook) => webhook.path === path)) {
    const known = webhooks.map((webhook) => webhook.path).join(', ');
    const message = `no plugin takes requests on ${path}; ${known === '' ? 'there are no webhooks' : `there are ${known}`}`;
    throw new PatchbayError('WEBHOOK_UNKNOWN', message);
  }
  const project = projectIn(input.cwd);
  const ledger = await openProjectLedger(project, process.env);
  try {
    await change(ledger, project.dir, path);
  } finally {
    await ledger.close();
  }
  return showWebhooks(await projectWebhooks(input));
}

/** Routes for people and programs. */
export function showWebhooks(webhooks: readonly ShownWebhook[]): Output {
  const lines = webhooks.map(({ path, plugin, scheme, state, received, failed, waiting }) => [
    path,
    plugin,
    scheme,
    state,
    `${received} received`,
    `${failed} failed`,
    `${waiting} waiting`,
  ]);
  return { json: webhooks, text: lines.length === 0 ? 'No plugin takes requests.' : columns(lines) };
}
