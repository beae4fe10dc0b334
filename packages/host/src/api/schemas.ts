import * as z from 'zod/mini';

export const text = z.string();
export const maybe = z.nullable(text);
export const json = z.record(z.string(), z.unknown());
export const count = z.int().check(z.nonnegative());

/** A text that people write. */
export const words = (most: number) => text.check(z.minLength(1), z.maxLength(most));

/** Who does something: a name, without what would make a log unreadable. */
export const who = text.check(
  z.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,99}$/u, { error: 'must be the name of somebody' }),
);

export const runId = text.check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, { error: 'is not the id of a run' }));
export const deliveryId = text.check(z.regex(/^\d{1,15}\.\d{1,9}$/, { error: 'is not the id of a delivery' }));
export const approvalId = text.check(z.regex(/^tool-[0-9a-f]{12}$/, { error: 'is not the id of a call that waits' }));
export const pluginName = text.check(
  z.regex(/^(?:@[a-z0-9-]{1,64}\/)?[a-z0-9][a-z0-9.-]{0,127}$/, { error: 'is not the name of a plugin' }),
);
export const hookName = text.check(z.regex(/^[A-Za-z][A-Za-z:]{0,63}$/, { error: 'is not the name of a hook' }));

/** A whole number in an address. */
export const place = z.coerce.number<string>().check(z.int(), z.nonnegative());

/** Which part of a list is wanted. */
export const page = {
  limit: z._default(z.coerce.number<string>().check(z.int(), z.minimum(1), z.maximum(1000)), 100),
  order: z._default(z.enum(['newest', 'oldest']), 'newest'),
  /** `next` of the page before. */
  cursor: z.optional(words(200)),
};

/** A part of a list. */
export function listOf<S extends z.ZodMiniType>(item: S) {
  return z.object({ items: z.array(item), next: maybe });
}

/** A page that would be longer ends before that: events can be large. */
const longestPage = 4 * 1024 * 1024;

/** The first of what is read, and where to go on if there may be more. */
export async function pageOf<T, S>(
  read: AsyncIterable<T>,
  limit: number,
  { cursor, show }: { cursor: (item: T) => string; show: (item: T) => S | Promise<S> },
): Promise<{ items: S[]; next: string | null }> {
  const items: S[] = [];
  let last: T | undefined;
  let length = 0;
  for await (const item of read) {
    const shown = await show(item);
    length += JSON.stringify(shown)?.length ?? 0;
    const isFull = items.length === limit || (length > longestPage && items.length > 0);
    if (isFull) return { items, next: cursor(last as T) };
    items.push(shown);
    last = item;
  }
  return { items, next: null };
}
