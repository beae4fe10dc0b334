import { definePlugin } from 'patchbay-sdk';
import { createTestHost, sample } from 'patchbay-sdk/testing';
import { z } from 'patchbay-sdk/zod';

const configured = definePlugin({
  name: 'configured',
  version: '1.0.0',
  config: z.object({ channel: z.string(), retries: z.number().default(3) }),
});
const plain = definePlugin({ name: 'plain', version: '1.0.0' });

const host = createTestHost();
host.load(configured, { channel: 1 }); // wrong: Type 'number' is not assignable to type 'string'
host.load(configured, { channel: 'ops', retrys: 1 }); // wrong: 'retrys' does not exist
host.load(configured, { retries: 1 }); // wrong: Property 'channel' is missing
host.load(plain, { channel: 'ops' }); // wrong: Type 'string' is not assignable to type 'never'
await host.fire('turn:acepted'); // wrong: '"turn:acepted"' is not assignable
await host.fire('turn:failed', { timed_out: 'yes' }); // wrong: Type 'string' is not assignable to type 'boolean | undefined'
await host.fire('turn:failed', { timedout: true }); // wrong: Did you mean to write 'timed_out'
sample('turn:failed', { exit_code: '1' }); // wrong: Type 'string' is not assignable to type 'number'
(await host.fire('turn:accepted')).assertFailed('HANDLER_BROKEN'); // wrong: '"HANDLER_BROKEN"' is not assignable
