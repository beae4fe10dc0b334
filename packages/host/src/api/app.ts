import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { type Env, hostGuard, originGuard, tokenGuard } from './guard.ts';
import type { Limits } from './limits.ts';
import { base } from './openapi.ts';
import { answerOf, Refused } from './refused.ts';
import { askedOf } from './request.ts';
import type { ApiParts, Route } from './route.ts';

/** How an app is made of a table of routes. */
export interface AppOptions {
  readonly routes: readonly Route[];
  readonly token: string;
  /** The address it listens on. */
  readonly bound: string;
  readonly limits: Limits;
}

/** The app that answers requests by a table of routes. Whatever goes wrong is answered as JSON. */
export function appOf(parts: ApiParts, { routes, token, bound, limits }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const open = new Set(routes.filter((route) => route.open).map(({ path }) => base + path));
  const bodyLimited = bodyLimit({
    maxSize: limits.bodyBytes,
    onError: () => {
      throw new Refused(413, 'REQUEST_INVALID', `a body may have ${limits.bodyBytes} bytes`);
    },
  });
  app.onError((error) => answerOf(error));
  app.notFound((c) => answerOf(new Refused(404, 'REQUEST_UNKNOWN', `there is no ${c.req.path}`)));
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      // It is not spoken to over TLS.
      strictTransportSecurity: false,
      xFrameOptions: 'DENY',
    }),
    async (c, next) => {
      await next();
      c.header('cache-control', 'no-store');
    },
    hostGuard(bound),
    originGuard,
    tokenGuard(token, open, limits),
    // It takes one that says nothing of a body for one whose length is not known.
    (c, next) => (hasBody(c) ? bodyLimited(c, next) : next()),
  );
  for (const route of routes) {
    app.on(route.method.toUpperCase(), honoPath(route), async (c) => {
      // What nobody reads would be kept open for nothing.
      if (c.req.method === 'HEAD' && route.answer === 'stream') throw notSo(c, ['GET']);
      const asked = await askedOf(c, route, limits);
      return answered(route, await route.handle(asked as never, parts));
    });
  }
  for (const path of new Set(routes.map(honoPath))) {
    const allowed = routes.filter((route) => honoPath(route) === path).map(({ method }) => method.toUpperCase());
    app.all(path, (c) => {
      throw notSo(c, allowed);
    });
  }
  return app;
}

function hasBody(c: Context): boolean {
  return c.req.header('content-length') !== undefined || c.req.header('transfer-encoding') !== undefined;
}

function notSo(c: Context, allowed: readonly string[]): Refused {
  const message = `${c.req.method} cannot be done with ${c.req.path}`;
  return new Refused(405, 'REQUEST_UNKNOWN', message, { headers: { allow: allowed.join(', ') } });
}

function honoPath({ path }: Route): string {
  return base + path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function answered({ answer, status = 200 }: Route, given: unknown): Response {
  if (answer === 'stream') {
    return new Response(given as ReadableStream, { status, headers: { 'content-type': 'text/event-stream' } });
  }
  return Response.json(given, { status });
}
