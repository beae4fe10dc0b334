import { errorCodes } from 'patchbay-sdk';
import * as z from 'zod/mini';
import type { Route } from './route.ts';

/** Below which all routes are. */
export const base = '/api/v1';

const failure = {
  description: 'Why it was refused, or failed.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** What every error says. */
const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'hint'],
      properties: {
        code: { type: 'string', enum: Object.keys(errorCodes).sort() },
        message: { type: 'string' },
        hint: { type: 'string' },
      },
    },
  },
};

/** The OpenAPI document of a table of routes. */
export function documentOf(routes: readonly Route[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    (paths[route.path] as Record<string, unknown>)[route.method] = operationOf(route);
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Patchbay', version: '1', description: 'Runs, gates, events and plugins of a project.' },
    servers: [{ url: base }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema },
    },
  };
}

function operationOf(route: Route): Record<string, unknown> {
  const { path, method, summary, open, status = 200, params, query, body } = route;
  return {
    operationId: [method, ...path.split(/[^a-z_]+/)].filter((word) => word !== '').join('_'),
    tags: [path.split('/')[1] ?? ''],
    summary,
    ...(open ? { security: [] } : {}),
    parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query'), ...headersOf(route)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: { [status]: { description: 'As asked.', content: contentOf(route) }, default: failure },
  };
}

function contentOf({ answer }: Route): Record<string, unknown> {
  if (answer === 'stream') return { 'text/event-stream': { schema: { type: 'string' } } };
  return { 'application/json': { schema: schemaOf(answer, 'output') } };
}

function headersOf({ answer }: Route): object[] {
  if (answer !== 'stream') return [];
  return [{ name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'integer', minimum: 0 } }];
}

function parametersOf(fields: Route['params'], where: 'path' | 'query'): object[] {
  if (fields === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(fields, 'input') as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema,
  }));
}

function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
