import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../test/project.ts';
import { base, documentOf } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import { Serving } from './fixture.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: object[];
  readonly parameters: { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: { required: true; content: Record<string, { schema: object }> };
  readonly responses: Record<string, { description: string; content: Record<string, { schema: object }> }>;
}

const document = documentOf(routes) as {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('The OpenAPI document', () => {
  it('has every route of the table, and no other', () => {
    const named = operations.map(({ path, method }) => `${method} ${path}`).sort();
    expect(named).toEqual(routes.map(({ path, method }) => `${method} ${path}`).sort());
  });

  it('is one: version, title, server, how to prove who one is', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d+$/),
      info: { title: expect.any(String), version: expect.any(String) },
      servers: [{ url: base }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    });
  });

  it('calls each operation by a name of its own, and says what it does', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) expect(operation.summary).toMatch(/\.$/);
  });

  it.each(operations.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s declares what stands in its path, and schemas that are some',
    (_, { path, operation }) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((one) => one.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(inPath);
      expect(declared.every(({ required }) => required)).toBe(true);
      const ajv = new Ajv2020({ strict: true, strictTypes: false, formats: { 'date-time': true } });
      ajv.addSchema(document.components.schemas['Error'] ?? {}, '#/components/schemas/Error');
      const bodies = [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) =>
        Object.values(one?.content ?? {}),
      );
      for (const { schema } of [...operation.parameters, ...bodies]) ajv.compile(schema);
      expect(Object.keys(operation.responses)).toContain('default');
    },
  );

  it('needs a token for everything but the health of the host', () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0);
    expect(open.map(({ path }) => path)).toEqual(['/health']);
  });

  it('is served, and every operation in it answers', async () => {
    const serving = await Serving.start('straight', { repository: false });
    expect((await serving.get('/openapi.json')).body).toEqual(JSON.parse(JSON.stringify(document)));
    const nobodys = { name: 'nobody', workspace: 'nobody', server: 'nobody' };
    const examples: Record<string, string> = {
      ...nobodys,
      run_id: 'run-0',
      id: '1.0',
      approval_id: 'tool-000000000000',
    };
    for (const { path, method, operation } of operations) {
      if (path === '/events/stream') continue;
      const at = path.replaceAll(/\{(\w+)\}/g, (_, name) => examples[name] ?? '');
      const body = operation.requestBody === undefined ? {} : { body: {} };
      const { status, body: answer } = await serving.ask(method.toUpperCase(), at, body);
      expect([method, path, status]).not.toEqual([method, path, 405]);
      expect([method, path, answer.error?.code]).not.toEqual([method, path, 'REQUEST_UNKNOWN']);
      expect(status).toBeLessThan(500);
    }
  });
});

describe('docs/api.md', () => {
  it('has a line for every route, and for no other', () => {
    const page = readFileSync(join(root, 'docs/api.md'), 'utf8');
    const lines = page.split('\n').filter((line) => /^\| `(?:GET|POST|DELETE) /.test(line));
    expect(lines).toEqual(
      routes.map(({ method, path, summary }) => `| \`${method.toUpperCase()} ${path}\` | ${summary} |`),
    );
  });
});
