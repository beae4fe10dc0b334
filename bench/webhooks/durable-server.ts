/** A process that serves webhooks as Patchbay does: verified, stored, handled. Tells its port. Argument: the project. */
import { openHost } from '../../packages/host/src/host.ts';
import { startInbound } from '../../packages/host/src/inbound/index.ts';
import { path, secret } from './request.ts';

const [cwd = ''] = process.argv.slice(2);
const host = await openHost({ cwd, version: '0.1.0' });
host.load({
  name: 'bench',
  version: '1.0.0',
  provides: { webhooks: () => [{ path, proof: { scheme: 'standard', secrets: [secret] }, handle: () => undefined }] },
});
const service = await host.start();
if (host.project === undefined) throw new Error('there is no project');
const { kernel, project } = host;
// As much as the machine can: it is what is measured.
const limits = { perSecond: 10_000_000, atOnce: 1000 };
const inbound = await startInbound({ kernel, service, project, port: 0, limits });
process.send?.(inbound.port);
process.once('disconnect', async () => {
  await inbound.close();
  await host.close();
});
