import { once } from 'node:events';
import { type Host, tunnelWarning } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { beside } from '../carry-on.ts';
import type { Input, Output, Run } from '../command.ts';
import { countOption } from '../ledger.ts';

export const run: Run = (input) => ({ lines: lines(input) });

async function* lines(input: Input): AsyncIterable<Output> {
  const { options, progress, signal } = input;
  const port = portOption('port', options['port']);
  const webhookPort = portOption('webhook-port', options['webhookPort']);
  const runsAtOnce = countOption('runs', options['runs']);
  const ready = Promise.withResolvers<Output>();
  const serve = async (host: Host) => {
    const { api, webhooks, tokenFile } = await host.serve({
      ...(options['host'] === undefined ? {} : { host: String(options['host']) }),
      ...(port === undefined ? {} : { port }),
      ...(webhookPort === undefined ? {} : { webhookPort }),
      ...(options['name'] === undefined ? {} : { name: String(options['name']) }),
      ...(runsAtOnce === undefined ? {} : { runsAtOnce }),
      troubled: progress,
      warn: (message) => progress(`warning: ${message}`),
    });
    const text = `The API is at ${api}, its token in ${tokenFile}.\nWebhooks are taken at ${webhooks}. Ctrl-C ends it.`;
    ready.resolve({ json: { api, webhooks, token_file: tokenFile, pid: process.pid }, text });
    // Asking may take a while, and the host is ready without it.
    void tunnelWarning(host.kernel).then((warning) => warning !== undefined && progress(`warning: ${warning}`));
    if (!signal.aborted) await once(signal, 'abort');
    atOnceNextTime();
  };
  const ended = beside(input, serve, options['label'] as string[] | undefined);
  // Whatever keeps it from being ready is told by the line that there is not.
  ended.catch((error) => ready.reject(error));
  yield await ready.promise;
  await ended;
  // It was told to end, and that is how it ends.
  process.exitCode = 0;
}

/** Whoever does not want to wait for the good order ends it once more. */
function atOnceNextTime(): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(130));
}

function portOption(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new PatchbayError('USAGE', `--${name} ${String(value)}: must be a number from 0 to 65535`);
}
