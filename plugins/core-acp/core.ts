import { definePlugin } from 'patchbay-sdk';

/** Plays a role by any agent that speaks the Agent Client Protocol on its standard input and output. */
export const acpCore = definePlugin({
  name: 'core-acp',
  version: '1.0.0',
  provides: {
    agentCore: () => ({
      name: 'acp',
      // The library of the protocol is loaded by who has such a turn.
      run: async (turn) => (await import('./play.ts')).play(turn),
    }),
  },
});
