import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, handler } from '../../packages/host/test/outbound/http-fixture.ts';
import { httpPackage, modulePackage, type Package, scriptPackage } from './package.ts';

/** A plugin that behaves, and what reached it. */
export interface Neighbour {
  readonly package: Package;
  /** The keys of the deliveries that it got, in the order in which it got them. */
  received(project: string): string[];
}

/** The kinds of neighbours, to be taken in turn. */
export const neighbourKinds = ['script', 'module', 'http'] as const;
export type NeighbourKind = (typeof neighbourKinds)[number];

const events = ['run:started', 'turn:dispatched', 'turn:accepted', 'run:completed'];
/** It has one, as everybody has, and nobody else may come to see it. */
const config = { token: '${NEIGHBOUR_SECRET}' };
/** It is not what is tested: a busy machine must not make it fail. */
const generousMs = 20_000;

/** A neighbour of this kind, ready to be installed. Stops with the test. */
export async function newNeighbour(kind: NeighbourKind, name = 'neighbour'): Promise<Neighbour> {
  const file = `${name}.keys`;
  const received = (project: string) => linesOf(join(project, file));
  switch (kind) {
    case 'script':
      return {
        package: scriptPackage(name, `echo "$PATCHBAY_DELIVERY_KEY" >> ${file}`, {
          events,
          config,
          timeout: generousMs,
        }),
        received,
      };
    case 'module':
      return {
        package: modulePackage(name, `appendFileSync('${file}', context.delivery + '\\n');`, {
          before: `import { appendFileSync } from 'node:fs';`,
          events,
          config,
          permissions: { files: { write: [file] } },
          deadlineMs: generousMs,
        }),
        received,
      };
    case 'http': {
      const server = await handler(answer(200, { verdict: 'ok' }));
      return {
        package: { ...httpPackage(name, server.url, { events, timeout: generousMs }), config },
        received: () => server.received.map(({ headers }) => String(headers['idempotency-key'])),
      };
    }
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
