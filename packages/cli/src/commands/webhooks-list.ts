import type { Run } from '../command.ts';
import { projectWebhooks, showWebhooks } from '../webhooks.ts';

export const run: Run = async (input) => showWebhooks(await projectWebhooks(input));
