import { suggestion } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { durationMs, durationPattern } from './duration.ts';

type Shape = Record<string, z.core.$ZodType>;

/** An object with these fields only; for another the nearest is told, at its own path. */
export function strict<S extends Shape>(shape: S): z.ZodMiniObject<S, z.core.$strict> {
  const known = Object.keys(shape);
  const other = z
    .custom(() => false, { error: ({ path = [] }) => `unknown field, ${suggestion(String(path.at(-1)), known)}` })
    // In the published JSON Schema: nothing fits.
    .register(z.globalRegistry, { not: {} });
  const error = ({ code }: { code?: string }) =>
    code === 'invalid_type' ? `must have fields: ${known.join(', ')}` : undefined;
  return z.catchall(z.object(shape, { error }), other) as unknown as z.ZodMiniObject<S, z.core.$strict>;
}

/** A text that is not blank, with what it is in words. */
export function text(what: string) {
  const error = ({ input }: { input?: unknown }) => (input === undefined ? `is missing: ${what}` : `must be ${what}`);
  return z.string({ error }).check(z.regex(/\S/, { error }), z.maxLength(10_000));
}

/** A text of which `problem` tells what is wrong with it. */
export function sound(what: string, problem: (value: string) => string | undefined) {
  return text(what).check(
    z.refine((value: string) => problem(value) === undefined, {
      error: ({ input }) => `${JSON.stringify(input)} ${problem(String(input))}`,
    }),
  );
}

/** One of several words; for another the nearest is told. */
export function oneOf<const W extends string>(words: readonly W[]) {
  return z.enum(words, {
    error: ({ input }) => {
      if (input === undefined) return `is missing: one of ${words.join(', ')}`;
      return `${JSON.stringify(input)} is none of ${words.join(', ')}; ${suggestion(String(input), words)}`;
    },
  });
}

const namePattern = /^[a-z][a-z0-9_-]{0,63}$/;
const nameWords = 'a name: lower-case letters, digits, dashes and underscores, a letter first, at most 64';
const nameError = ({ input }: { input?: unknown }) =>
  input === undefined ? `is missing: ${nameWords}` : `${JSON.stringify(input)} must be ${nameWords}`;

/** The name of a template, role, phase, gate or core. */
export const name = z.string({ error: nameError }).check(z.regex(namePattern, { error: nameError }));

/** Whether a text may be the name of a template. */
export function isName(value: string): boolean {
  return namePattern.test(value);
}

/** Fields of one kind, by name. */
export function byName<V extends z.core.$ZodType>(value: V) {
  return z.record(name, value, {
    error: ({ code, path = [] }) =>
      code === 'invalid_key' ? `${JSON.stringify(path.at(-1))} must be ${nameWords}` : undefined,
  });
}

/** A length of time of at most `most`, in the words of a template. */
export function duration(most: string) {
  const what = `a duration like 90s, 30m, 8h or 3d, longer than nothing and at most ${most}`;
  const error = ({ input }: { input?: unknown }) => `${JSON.stringify(input)} must be ${what}`;
  const longest = durationMs(most) ?? 0;
  const fits = (value: string) => {
    const ms = durationMs(value) ?? longest;
    return ms > 0 && ms <= longest;
  };
  return z.string({ error }).check(z.regex(durationPattern, { error }), z.refine(fits, { error }));
}

/** A whole number from `least` to `most`. */
export function count(least: number, most: number) {
  const error = ({ input }: { input?: unknown }) =>
    `${JSON.stringify(input)} must be a whole number from ${least} to ${most}`;
  return z.int({ error }).check(z.gte(least, { error }), z.lte(most, { error }));
}
