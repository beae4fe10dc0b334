import { type Answer, definePlugin, type EventPayload, isVerdict, refuse, type Verdict } from 'patchbay-sdk';
import { expectTypeOf } from 'vitest';

/** What a handler may answer: nothing, a verdict, a new payload where the hook is a waterfall; now or later. */
export default definePlugin({
  name: 'answers',
  version: '1.0.0',
  hooks: {
    'run:started': ({ goal }) => (goal === null ? refuse('a run needs a goal', { field: 'goal' }) : undefined),
    'gate:pending': async ({ gate }) => ({ verdict: 'warn', message: `look at ${gate}` }),
    'turn:submitted': () => ({ verdict: 'fail' }),
    'turn:accepted': () => null,
    'turn:rejected': () => {},
    'turn:dispatched': (turn) => ({ ...turn, summary: `${turn.summary} (seen)`, adapter: 'mock' }),
    'host:ready': () => 42,
  },
});

/** The same hook may be refused, too, and both answers may stand in one function. */
export const either = definePlugin({
  name: 'either',
  version: '1.0.0',
  hooks: {
    'turn:dispatched': {
      tryfirst: true,
      handler: (turn) =>
        turn.goal?.includes('rm') ? refuse('no') : { ...turn, bundle: { ...turn.bundle, files: [] } },
    },
  },
});

expectTypeOf<Answer<'turn:dispatched'>>().toEqualTypeOf<Verdict | EventPayload<'turn:dispatched'>>();
expectTypeOf<Answer<'run:started'>>().toEqualTypeOf<Verdict>();
expectTypeOf<Answer<'host:ready'>>().toEqualTypeOf<unknown>();
expectTypeOf(refuse).toEqualTypeOf<(message: string, annotations?: Record<string, unknown>) => Verdict>();
expectTypeOf<Verdict['verdict']>().toEqualTypeOf<'ok' | 'warn' | 'fail' | 'block'>();

export function reasonOf(answer: unknown): string | undefined {
  return isVerdict(answer) ? answer.message : undefined;
}
