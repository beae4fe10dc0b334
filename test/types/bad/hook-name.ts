import { definePlugin } from 'patchbay-sdk';

export default definePlugin({
  name: 'misspelt',
  version: '1.0.0',
  hooks: {
    'turn:acepted': () => {}, // wrong: ''turn:acepted'' does not exist
  },
});

export const capability = definePlugin({
  name: 'misspelt-capability',
  version: '1.0.0',
  provides: {
    serviceTool: () => ({}), // wrong: Did you mean to write 'serviceTools'?
  },
});

export const event = definePlugin({
  name: 'no-capability',
  version: '1.0.0',
  provides: {
    'turn:accepted': () => {}, // wrong: ''turn:accepted'' does not exist
  },
});
