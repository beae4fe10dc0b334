import { definePlugin, refuse } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

/** A plugin that does what the summary of a turn, or the goal of a run, tells it. */
export default definePlugin({
  name: 'two-tiers',
  version: '1.2.3',
  config: z.object({ greeting: z.string().default('hello'), times: z.number().default(2) }),
  hooks: {
    'turn:accepted': async (payload, context) => {
      switch (payload.summary) {
        case 'throw':
          throw new TypeError('it broke');
        case 'throw a text':
          throw 'a text';
        case 'throw an object':
          throw { reason: 7 };
        case 'fail':
          return { verdict: 'fail', message: 'could not' };
        case 'nonsense':
          return { verdict: 'maybe' } as never;
        case 'change the payload':
          (payload as { summary: string }).summary = 'changed';
          return;
        case 'tell the context': {
          const { plugin, hook, run, delivery, config } = context;
          context.log.info('context', { plugin, hook, run, delivery, config, aborted: context.signal.aborted });
          return;
        }
        case 'log':
          context.log.debug('one');
          context.log.info('two', { n: 2 });
          context.log.warn('three');
          context.log.error('four', { deep: { er: [1] } });
          return;
        case 'defer': {
          const { defer, log } = context;
          defer(() => log.info('undone first'));
          defer(async () => log.info('undone second'));
          defer(() => log.info('undone third'));
          return;
        }
        case 'defer what fails':
          context.defer(() => {
            throw new Error('cannot be undone');
          });
          return;
        case 'hang':
          await new Promise<void>((resolve) => {
            const timer = setInterval(() => {}, 1000);
            context.signal.addEventListener('abort', () => {
              clearInterval(timer);
              resolve();
            });
          });
          return;
        default:
          return { verdict: 'ok', message: 'fine', annotations: { a: 1 } };
      }
    },
    'turn:submitted': { deadlineMs: 100, handler: () => new Promise(() => {}) },
    'run:started': ({ goal }) => {
      if (goal === 'refuse') return refuse('not today', { why: 'sunday' });
      if (goal === 'throw') throw new Error('it broke');
      if (goal === 'nonsense') return 7 as never;
      if (goal === 'function') return (() => {}) as never;
      if (goal === 'not a number') return Number.NaN as never;
      return goal === 'warn' ? { verdict: 'warn', message: 'careful' } : undefined;
    },
    'turn:dispatched': (payload) => ({ ...payload, summary: `${payload.summary} and rewritten` }),
    'gate:pending': {
      wrapper: ({ summary }, { log }) => {
        log.info(`before ${summary}`);
        if (summary === 'throw') throw new Error('the first half broke');
        if (summary === 'no second half') return;
        if (summary === 'nonsense') return 7 as never;
        return ({ result, refusal }) => {
          log.info('after', { result: result ?? null, refusal: refusal?.message ?? null, code: refusal?.code ?? null });
          if (summary === 'throw later') throw new Error('the second half broke');
        };
      },
    },
    'run:completed': [
      { id: 'late', trylast: true, handler: (_, { log }) => log.info('late') },
      { id: 'middle', before: ['neighbour'], handler: (_, { log }) => log.info('middle') },
      { id: 'early', tryfirst: true, handler: (_, { log }) => log.info('early') },
    ],
    'host:ready': ({ version }, { log }) => log.info(`ready ${version}`),
  },
  provides: {
    skills: () => ['/skills/a', '/skills/b'],
    serviceTools: () => ({
      echo: { description: 'says it again', inputSchema: {}, handler: (request) => ({ result: request['word'] }) },
    }),
  },
});
