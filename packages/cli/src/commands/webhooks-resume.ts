import { resumeWebhooks } from 'patchbay-host';
import type { Run } from '../command.ts';
import { changeWebhooks } from '../webhooks.ts';

export const run: Run = (input) => changeWebhooks(input, resumeWebhooks);
