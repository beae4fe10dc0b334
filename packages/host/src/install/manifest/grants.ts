import type * as z from 'zod/mini';
import type { declaredHandler, permissions } from './schemas.ts';

/** What an HTTP handler's headers may name besides variables of the environment. */
const eventContext = new Set(['run_id', 'turn_id', 'role', 'phase']);

/** The variables of the environment that a text refers to as `${NAME}`. */
export function variablesIn(value: string): string[] {
  return [...value.matchAll(/\$\{([^}]*)\}/g)].map(([, name]) => name ?? '').filter((name) => !eventContext.has(name));
}

/** What declared handlers need without saying so: the variables in their headers, the hosts of their addresses. */
export function implied(handlers: readonly z.output<typeof declaredHandler>[]): string[] {
  return handlers.flatMap((handler) => {
    if (handler.type !== 'http') return [];
    const variables = Object.values(handler.headers ?? {}).flatMap(variablesIn);
    return [`net:${new URL(handler.url).host}`, ...variables.map((variable) => `env:${variable}`)];
  });
}

/** What a plugin asks for in so many words, in the vocabulary of grants. */
export function asked(wanted: z.output<typeof permissions> | undefined): string[] {
  if (wanted === undefined) return [];
  const grants = (kind: string, names: readonly string[] | undefined) => (names ?? []).map((name) => `${kind}:${name}`);
  return [
    ...grants('read', wanted.files?.read),
    ...grants('write', wanted.files?.write),
    ...grants('net', wanted.net),
    ...grants('exec', wanted.exec),
    ...grants('env', wanted.env),
    ...grants('secret', wanted.secrets),
    ...grants('block', wanted.block),
  ];
}
