import { definePlugin, refuse } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

export default definePlugin({
  name: 'hello',
  version: '1.0.0',
  config: z.object({ greeting: z.string().default('Hello') }),
  hooks: {
    'turn:accepted': ({ role, summary }, { config, log }) => log.info(`${config.greeting} ${role}: ${summary}`),
    'turn:dispatched': ({ goal }) => (goal?.includes('rm -rf') ? refuse('Not on my machine') : null),
  },
  provides: {
    skills: () => [`${import.meta.dirname}/skills/greeting`],
  },
});
