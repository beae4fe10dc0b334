import { type ConfigInput, type ConfigOf, definePlugin } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';
import { expectTypeOf } from 'vitest';

const schema = z.object({
  channel: z.string(),
  retries: z.number().default(3),
  mode: z.enum(['quiet', 'loud']).optional(),
  since: z.string().transform((text) => new Date(text)),
});

interface Read {
  channel: string;
  retries: number;
  mode?: 'quiet' | 'loud' | undefined;
  since: Date;
}

/** What the schema gives out is what handlers get: defaults are there, transformed values are transformed. */
export const configured = definePlugin({
  name: 'configured',
  version: '1.0.0',
  config: schema,
  hooks: {
    'turn:accepted': (_, { config }) => expectTypeOf(config).toEqualTypeOf<Read>() && undefined,
    'turn:rejected': {
      handler: (_, { config }) => expectTypeOf(config.since).toEqualTypeOf<Date>() && undefined,
    },
    'run:completed': {
      wrapper: (_, { config }) => {
        expectTypeOf(config.retries).toEqualTypeOf<number>();
      },
    },
  },
  provides: {
    skills: (_, { config }) => [config.channel],
  },
});

/** The order of the fields does not matter. */
export const configuredLast = definePlugin({
  provides: { skills: (_, { config }) => [config.folder] },
  hooks: { 'host:ready': (_, context) => expectTypeOf(context.config.folder).toEqualTypeOf<string>() && undefined },
  config: z.object({ folder: z.string().default('skills') }),
  version: '1.0.0',
  name: 'configured-last',
});

/** What an operator writes is the other side of the schema. */
expectTypeOf<ConfigInput<typeof schema>>().toEqualTypeOf<{
  channel: string;
  retries?: number | undefined;
  mode?: 'quiet' | 'loud' | undefined;
  since: string;
}>();
expectTypeOf<ConfigOf<typeof schema>>().toEqualTypeOf<Read>();
expectTypeOf<ConfigOf<undefined>>().toEqualTypeOf<Record<string, never>>();

export const unconfigured = definePlugin({
  name: 'unconfigured',
  version: '1.0.0',
  hooks: {
    'turn:accepted': (_, { config }) => expectTypeOf(config).toEqualTypeOf<Record<string, never>>() && undefined,
  },
});
