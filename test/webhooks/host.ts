/**
 * A host that serves webhooks and is killed again and again. Each request on `/in` begins a run and is noted in a file, one on
 * `/slow` takes 100 ms, one on `/quick` nothing. Prints its port. Arguments: the project, the port.
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHost, startInbound } from 'patchbay-host';
import { definePlugin } from 'patchbay-sdk';
import { secret } from './sender.ts';

const [cwd = '', port = '0'] = process.argv.slice(2);
const notes = openSync(join(cwd, 'handled'), 'a');
const host = await openHost({ cwd, version: '0.0.0' });
const proof = { scheme: 'standard' as const, secrets: [secret] };
host.load(
  definePlugin({
    name: 'hook',
    version: '1.0.0',
    provides: {
      webhooks: ({ startRun }) => [
        {
          path: '/in',
          proof,
          handle: async ({ headers }) => {
            const id = headers['webhook-id'] ?? '';
            writeSync(notes, `${id}\n`);
            return { body: { run: await startRun({ input: id }) } };
          },
        },
        { path: '/slow', proof, handle: () => sleep(100, undefined) },
        { path: '/quick', proof, handle: () => undefined },
      ],
    },
  }),
);
const service = await host.start();
if (host.project === undefined) throw new Error('there is no project');
const { kernel, project } = host;
const inbound = await startInbound({
  kernel,
  service,
  project,
  port: Number(port),
  limits: { perSecond: 1_000_000 },
  // Runs are only written down: what is asked here is which of them are begun.
  begin: async ({ input = '' }, run_id, by) => {
    await service.ledger.requestRun({ run_id, template: 'none', goal: input, by });
    return run_id;
  },
});
process.once('SIGTERM', async () => {
  await inbound.close();
  await host.close();
});
process.stdout.write(`${inbound.port}\n`);
