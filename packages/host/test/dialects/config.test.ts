import type { StandardSchemaV1 } from '@standard-schema/spec';
import { fromDefinition } from 'patchbay-host/dialects';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';

const read = (schema: unknown, config?: unknown) =>
  fromDefinition({ name: 'js', version: '1.0.0', ...(schema === undefined ? {} : { config: schema }) }, config).config;

const invalid = (field: string, message: string) =>
  expect.objectContaining({ code: 'CONFIG_INVALID', plugin: 'js', field, message });

/** A schema as somebody might write it by hand, without any library. */
const byHand: StandardSchemaV1<{ port?: number }, { port: number }> = {
  '~standard': {
    version: 1,
    vendor: 'by-hand',
    validate(value) {
      const { port = 8080 } = (value ?? {}) as { port?: unknown };
      if (typeof port === 'number') return { value: { port } };
      return { issues: [{ message: 'must be a number', path: [{ key: 'listen' }, 'port', 0] }] };
    },
  },
};

describe('a configuration is read by the schema of its plugin', () => {
  it('with defaults and transformations', () => {
    const schema = z.object({ retries: z.number().default(3), since: z.string().transform((text) => text.length) });
    expect(read(schema, { since: 'ever' })).toEqual({ retries: 3, since: 4 });
  });

  it('with the small zod', () => {
    expect(read(mini.object({ retries: mini._default(mini.number(), 3) }), {})).toEqual({ retries: 3 });
  });

  it('with a schema of no library at all', () => {
    expect(read(byHand, {})).toEqual({ port: 8080 });
    expect(read(byHand, { port: 1 })).toEqual({ port: 1 });
  });

  it('with a schema that is a function, as those of some libraries are', () => {
    expect(
      read(
        Object.assign(() => {}, byHand),
        { port: 1 },
      ),
    ).toEqual({ port: 1 });
  });

  it('is empty where the plugin has no schema', () => {
    expect(read(undefined)).toEqual({});
    expect(read(undefined, {})).toEqual({});
  });

  it('is checked even where the operator gives none', () => {
    expect(() => read(z.object({ channel: z.string() }))).toThrow(
      invalid('channel', 'plugin "js", config "channel": Invalid input: expected string, received undefined'),
    );
  });
});

describe('a wrong configuration is refused with the plugin and the field', () => {
  const schema = z.object({ channel: z.string(), smtp: z.object({ port: z.number() }).optional() });

  it('of a wrong type', () => {
    expect(() => read(schema, { channel: 7 })).toThrow(
      invalid('channel', 'plugin "js", config "channel": Invalid input: expected string, received number'),
    );
  });

  it('deep inside', () => {
    expect(() => read(schema, { channel: 'a', smtp: { port: '25' } })).toThrow(
      invalid('smtp.port', 'plugin "js", config "smtp.port": Invalid input: expected number, received string'),
    );
  });

  it('by the path that a schema of no library gives', () => {
    expect(() => read(byHand, { port: 'x' })).toThrow(
      invalid('listen.port.0', 'plugin "js", config "listen.port.0": must be a number'),
    );
  });

  it('that does not exist, with the nearest one', () => {
    expect(() => read(schema, { channel: 'a', stmp: {} })).toThrow(
      invalid('stmp', 'plugin "js", config "stmp": there is no such field; did you mean "smtp"?'),
    );
    expect(() => read(mini.object({ channel: mini.string() }), { chanel: 'a' })).toThrow('did you mean "channel"?');
  });

  it('unless the schema takes any field', () => {
    expect(read(z.looseObject({ channel: z.string() }), { channel: 'a', more: 1 })).toEqual({ channel: 'a', more: 1 });
    expect(read(z.record(z.string(), z.number()), { any: 1 })).toEqual({ any: 1 });
  });

  it('where the plugin takes no configuration', () => {
    expect(() => read(undefined, { channel: 'a' })).toThrow(
      invalid('channel', 'plugin "js", config "channel": there is no such field; there are none'),
    );
  });

  it.each([['text'], [7], [['list']]])('%j is no configuration where the plugin takes none', (config) => {
    expect(() => read(undefined, config)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', plugin: 'js' }));
  });

  it.each([['text'], [7], [['list']], [null]])('%j is no configuration where the plugin takes one', (config) => {
    expect(() => read(schema, config)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('expected object') }),
    );
  });
});

describe('a schema that cannot be used is refused with the plugin', () => {
  it('because it is async', () => {
    const schema = z.object({ url: z.string().refine(async () => true) });
    expect(() => read(schema, { url: 'x' })).toThrow(
      invalid('', 'plugin "js", config: the schema is async, which a plugin cannot have'),
    );
  });

  it('because it is async and fails, which nobody is left to hear', async () => {
    const schema = { '~standard': { version: 1, vendor: 'x', validate: () => Promise.reject(new Error('later')) } };
    const unheard: unknown[] = [];
    const listener = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', listener);
    try {
      expect(() => read(schema, {})).toThrow('async');
      await new Promise((resolve) => setTimeout(resolve, 10));
    } finally {
      process.off('unhandledRejection', listener);
    }
    expect(unheard).toEqual([]);
  });

  it('because it throws', () => {
    const schema = z.object({ filter: z.string().transform((text): unknown => JSON.parse(text)) });
    expect(read(schema, { filter: '{}' })).toEqual({ filter: {} });
    expect(() => read(schema, { filter: '{' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', plugin: 'js', message: expect.stringContaining('JSON') }),
    );
  });
});
