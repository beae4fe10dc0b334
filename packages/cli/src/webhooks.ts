import { listWebhooks, type ShownWebhook } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk/errors';
import { beside } from './carry-on.ts';
import type { Input, Output } from './command.ts';
import { projectLedger } from './ledger.ts';
import { columns } from './text.ts';

/** The routes of the project, and where it is. Throws PROJECT_MISSING. */
export async function projectWebhooks(input: Input): Promise<{ dir: string; webhooks: ShownWebhook[] }> {
  const ledger = await projectLedger(input.cwd);
  try {
    return await beside(input, async ({ kernel, project }) => {
      const dir = project?.dir ?? input.cwd;
      return { dir, webhooks: await listWebhooks(kernel, dir, ledger) };
    });
  } finally {
    await ledger?.close();
  }
}

/** Changes something about a path, or about all, and shows what there is after that. Throws WEBHOOK_UNKNOWN. */
export async function changeWebhooks(
  input: Input,
  change: (dir: string, path: string | null) => void,
): Promise<Output> {
  const [path = null] = input.args;
  const { dir, webhooks } = await projectWebhooks(input);
  if (path !== null && !webhooks.some((webhook) => webhook.path === path)) {
    const known = webhooks.map((webhook) => webhook.path).join(', ');
    const message = `no plugin takes requests on ${path}; ${known === '' ? 'there are no webhooks' : `there are ${known}`}`;
    throw new PatchbayError('WEBHOOK_UNKNOWN', message);
  }
  change(dir, path);
  return showWebhooks((await projectWebhooks(input)).webhooks);
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
