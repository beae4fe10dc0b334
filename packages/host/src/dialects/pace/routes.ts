import { AsyncLocalStorage } from 'node:async_hooks';
import type { InboundReply, InboundRequest, Payload, Webhook, WebhookProof } from 'patchbay-sdk';
import { paceStart, type Trigger } from 'patchbay-sdk/pace';
import { type Instance, methodOf } from './instance.ts';

/** The days that the request in hand has had begun: authors need not wait for them, the reply does. */
const begun = new AsyncLocalStorage<Promise<string>[]>();

/** The handler of `webhooks` for these inbound plugins. */
export function routesOf(instances: readonly Instance[]): (context: Payload<'webhooks'>) => Webhook[] {
  return ({ startRun }) => instances.map((instance) => routeOf(instance, startRun));
}

function routeOf(instance: Instance, startRun: Payload<'webhooks'>['startRun']): Webhook {
  instance[paceStart] = ({ day = null }: Trigger) => {
    const run = startRun({ template: 'pace', day });
    // Whoever does not wait for it must not be ended by its failure.
    run.catch(() => {});
    begun.getStore()?.push(run);
    return run;
  };
  const handle = methodOf(instance, 'handle') as (...args: unknown[]) => unknown;
  const { path, proof } = instance as { path: string; proof?: WebhookProof };
  return {
    path,
    ...(proof === undefined ? {} : { proof }),
    handle: async (request: InboundRequest): Promise<InboundReply> => {
      const runs: Promise<string>[] = [];
      const body = await begun.run(runs, async () => handle(request.payload, request.headers, request));
      await Promise.all(runs);
      return { body: body ?? {} };
    },
  };
}
