import { definePlugin } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

export const wrongUse = definePlugin({
  name: 'config-use',
  version: '1.0.0',
  config: z.object({ channel: z.string(), retries: z.number().default(3), tag: z.string().optional() }),
  hooks: {
    'turn:accepted': (_, { config, log }) => {
      log.info(config.chanel); // wrong: Did you mean 'channel'
      log.info(config.retries); // wrong: 'number' is not assignable
      log.info(config.tag); // wrong: 'undefined' is not assignable
    },
  },
});

export const withoutSchema = definePlugin({
  name: 'config-none',
  version: '1.0.0',
  hooks: {
    'turn:accepted': (_, { config, log }) => log.info(config['channel']), // wrong: 'undefined' is not assignable
  },
});

export const noSchema = definePlugin({
  name: 'config-no-schema',
  version: '1.0.0',
  config: { channel: 'string' }, // wrong: 'channel' does not exist in type 'StandardSchemaV1
});
