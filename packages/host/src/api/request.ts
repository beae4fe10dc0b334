import type { Context } from 'hono';
import { problemsOf } from 'patchbay-sdk';
import type * as z from 'zod/mini';
import type { Env } from './guard.ts';
import type { Limits } from './limits.ts';
import { Refused } from './refused.ts';
import type { Asked, Route } from './route.ts';

/** What a request asks, checked against the schemas of its route. Throws what is wrong with it. */
export async function askedOf(
  c: Context<Env>,
  { params, query, body, method }: Route,
  { depth }: Pick<Limits, 'depth'>,
): Promise<Asked<unknown, unknown, unknown>> {
  return {
    params: checked(params, c.req.param(), 'the address'),
    query: checked(query, queryOf(query, c.req.queries()), 'the query'),
    body: body === undefined ? await nothing(c, method) : checked(body, await jsonOf(c, depth), 'the body'),
    header: (name) => c.req.header(name),
    drop: () => void c.env.outgoing.destroy(),
  };
}

function checked(schema: z.ZodMiniType | undefined, value: unknown, where: string): unknown {
  if (schema === undefined) {
    const [name] = Object.keys(value as object);
    if (name === undefined) return {};
    throw invalid(`${where} takes no "${name}"`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(schema, value);
  const told = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  throw new Refused(400, 'REQUEST_INVALID', `${where} is not right: ${told}`, { problems });
}

/** What is asked for once is a text, what may be asked for several times is a list of them. */
function queryOf(schema: Route['query'], given: Record<string, string[]>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, values]) => {
      const field = schema?.shape[name] as z.ZodMiniType | undefined;
      const isList = field?.safeParse([]).success === true;
      return [name, isList ? values : values.length === 1 ? values[0] : values];
    }),
  );
}

async function nothing(c: Context<Env>, method: Route['method']): Promise<Record<string, never>> {
  if (method !== 'get' && (await c.req.text()) !== '') throw invalid('no body is taken here');
  return {};
}

async function jsonOf(c: Context<Env>, depth: number): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refused(415, 'REQUEST_INVALID', 'the body must be application/json');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await c.req.arrayBuffer()));
  } catch {
    throw invalid('the body is not JSON in UTF-8');
  }
  if (isDeeper(value, depth)) throw invalid(`the body is nested deeper than ${depth} times`);
  return value;
}

/** Not by calling itself: what is nested too deeply must not break this too. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value];
  for (let left = depth; level.length > 0; left--) {
    if (left < 0) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

function invalid(message: string): Refused {
  return new Refused(400, 'REQUEST_INVALID', message);
}
