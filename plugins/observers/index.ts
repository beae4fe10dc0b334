import { definePlugin } from 'patchbay-sdk';
import * as z from 'zod/mini';

const count = z.int().check(z.positive());

/** Keeps events in a SQLite file of their own, where the project sets it up. It is loaded when it is used: most do not. */
export const sqliteObserverPlugin = definePlugin({
  name: 'observer-sqlite',
  version: '1.0.0',
  config: z.strictObject({
    file: z.optional(z.string()),
    days: z.optional(z.number().check(z.positive())),
    max_events: z.optional(count),
  }),
  provides: {
    observer: async ({ project }, { config }) => {
      if (Object.keys(config).length === 0) return null;
      const { sqliteObserver } = await import('./sqlite.ts');
      return sqliteObserver(project, { file: config.file, days: config.days, maxEvents: config.max_events });
    },
  },
});

/** Sends spans to whoever takes OTLP, where the project names one. */
export const otelObserverPlugin = definePlugin({
  name: 'observer-otel',
  version: '1.0.0',
  config: z.strictObject({
    endpoint: z.optional(z.url()),
    headers: z.optional(z.record(z.string(), z.string())),
    service: z.optional(z.string()),
  }),
  provides: {
    observer: async (_, { config }) => {
      const { endpoint, headers, service } = config;
      if (endpoint === undefined) return null;
      const { otelObserver } = await import('./otel/observer.ts');
      return otelObserver({ endpoint, headers, service });
    },
  },
});
