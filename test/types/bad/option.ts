import { definePlugin } from 'patchbay-sdk';

export default definePlugin({
  name: 'options',
  version: '1.0.0',
  hooks: {
    'turn:accepted': { tryFirst: true, handler: () => {} }, // wrong: 'tryFirst' does not exist
    'turn:rejected': { before: 'notes', handler: () => {} }, // wrong: Type 'string' is not assignable to type 'readonly string[]'
    'turn:failed': { deadlineMs: '5s', handler: () => {} }, // wrong: Type 'string' is not assignable to type 'number'
    'run:started': { advisory: 'yes', wrapper: () => {} }, // wrong: Type 'string' is not assignable to type 'boolean | undefined'
  },
});

export const unknownField = definePlugin({
  name: 'unknown-field',
  version: '1.0.0',
  hook: {}, // wrong: Did you mean to write 'hooks'
});

export const unknownDialect = definePlugin({
  name: 'unknown-dialect',
  version: '1.0.0',
  dialect: 'pynchi', // wrong: Did you mean '"pynchy"'?
});

export const missing = definePlugin({ name: 'without-version' }); // wrong: Property 'version' is missing
