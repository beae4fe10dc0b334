import { definePlugin } from 'patchbay-sdk';

export default definePlugin({
  name: 'fields',
  version: '1.0.0',
  hooks: {
    'turn:accepted': ({ sumary }) => void sumary, // wrong: Property 'sumary' does not exist
    'turn:rejected': (turn, { log }) => {
      log.info(turn.reson); // wrong: Did you mean 'reason'
    },
    'turn:submitted': async (turn) => {
      const { descision_summary } = turn; // wrong: Property 'descision_summary' does not exist
      return descision_summary;
    },
    'turn:failed': {
      handler: (turn) => void turn.error.mesage, // wrong: Did you mean 'message'
    },
    'run:started': (_, context) => void context.confg, // wrong: Did you mean 'config'
  },
});
