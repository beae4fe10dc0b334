import { tool } from 'ai';
import type { TurnWork } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';
import { cutMiddle } from '../cut.ts';

/** The most of each stream that the model sees. */
const mostCharacters = 16_000;
/** How long a command may take, unless the model says otherwise. */
const usualSeconds = 300;

/** The tool by which a model runs commands, confined as the host confines them. */
export function execTools(turn: TurnWork) {
  return {
    exec: tool({
      description: 'Runs a shell command in the workspace and waits for it to end.',
      inputSchema: z.object({
        command: z.string().min(1),
        timeout_seconds: z.int().min(1).max(3600).default(usualSeconds).describe('after which it is ended'),
      }),
      execute: async ({ command, timeout_seconds }) => {
        const end = await turn.exec(['/bin/sh', '-c', command], { timeoutMs: timeout_seconds * 1000 });
        const signalled = end.signal === null ? null : `ended by ${end.signal}`;
        const how = end.timed_out ? `was ended after ${timeout_seconds} seconds` : signalled;
        return [
          how ?? `exit code ${end.exit_code}`,
          ...(end.stdout === '' ? [] : [`standard output:\n${cutMiddle(end.stdout, mostCharacters)}`]),
          ...(end.stderr === '' ? [] : [`standard error:\n${cutMiddle(end.stderr, mostCharacters)}`]),
        ].join('\n');
      },
    }),
  };
}
