import { definePlugin } from 'patchbay-sdk';

export default definePlugin({
  name: 'answers',
  version: '1.0.0',
  hooks: {
    'run:started': () => 'no', // wrong: Type 'string' is not assignable
    'gate:pending': () => ({ verdict: 'refuse' }), // wrong: '"refuse"' is not assignable
    'turn:dispatched': (turn) => ({ ...turn, goal: 7 }), // wrong: Type 'number' is not assignable
    'turn:submitted': async () => true, // wrong: Type 'boolean' is not assignable
    'message:received': { wrapper: () => 'around' }, // wrong: types returned by 'wrapper(...)' are incompatible
    skills: { wrapper: () => () => 'skills' }, // wrong: Type 'string' is not assignable to type 'MaybePromise<string[][]
  },
});
