import {
  definePlugin,
  type EventPayload,
  type Memory,
  type Merged,
  type PatchbayError,
  type ServiceTool,
} from 'patchbay-sdk';
import { expectTypeOf } from 'vitest';

/** The second half of a wrapper is given the result of its hook's kind, and may answer another. */
export default definePlugin({
  name: 'wrappers',
  version: '1.0.0',
  hooks: {
    'turn:dispatched': {
      wrapper: (turn) => {
        expectTypeOf(turn).toEqualTypeOf<EventPayload<'turn:dispatched'>>();
        return ({ result, refusal }) => {
          expectTypeOf(result).toEqualTypeOf<EventPayload<'turn:dispatched'> | undefined>();
          expectTypeOf(refusal).toEqualTypeOf<PatchbayError | undefined>();
          return result && { ...result, summary: 'wrapped' };
        };
      },
    },
    skills: {
      tryfirst: true,
      wrapper:
        (_, { log }) =>
        async ({ result }) => {
          expectTypeOf(result).toEqualTypeOf<string[][] | undefined>();
          log.info(`${result?.length}`);
          return result?.map((folders) => folders.toSorted());
        },
    },
    memory: {
      wrapper: () => (outcome) => {
        expectTypeOf(outcome.result).toEqualTypeOf<Memory | null | undefined>();
      },
    },
    serviceTools: {
      wrapper:
        () =>
        ({ result }) => {
          expectTypeOf(result).toEqualTypeOf<Merged<ServiceTool> | undefined>();
          return result;
        },
    },
    'run:started': [
      { wrapper: () => {} },
      {
        wrapper: async () => (outcome) => {
          expectTypeOf(outcome.result).toEqualTypeOf<undefined>();
        },
      },
      { handler: ({ roles }) => expectTypeOf(roles).toEqualTypeOf<string[]>() && undefined },
    ],
  },
});
