import { definePlugin } from 'patchbay-sdk';

/** Plays a role by a language model with tools. What a role may set for it stands in settings.ts. */
export const llmCore = definePlugin({
  name: 'core-llm',
  version: '1.0.0',
  provides: {
    agentCore: () => ({
      name: 'llm',
      // Loading the libraries of the providers takes longer than starting a host: only who has such a turn pays for it.
      run: async (turn) => (await import('./play.ts')).play(turn),
    }),
  },
});
