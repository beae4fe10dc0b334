import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePlugin, type TurnWork } from 'patchbay-sdk';

/** What a role may set for this core. */
interface Settings {
  readonly url?: unknown;
  readonly headers?: unknown;
}

/** An answer longer than this is none. */
const mostBytes = 1024 * 1024;

/** Plays a role by an HTTP address: the bundle is posted as JSON, the answer is the result. */
export const httpCore = definePlugin({
  name: 'core-http',
  version: '1.0.0',
  provides: { agentCore: () => ({ name: 'http', run }) },
});

async function run(turn: TurnWork): Promise<void> {
  const { url, headers = {} } = turn.config as Settings;
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw new Error(`role "${turn.role}" needs "with: { url: … }" for the core "http"`);
  }
  const { key, run_id, turn_id, attempt, phase, role, goal, reviews } = turn;
  const bundle = Object.fromEntries(
    readdirSync(turn.bundle).map((name) => [name, readFileSync(join(turn.bundle, name), 'utf8')]),
  );
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, ...(headers as Record<string, string>) },
    body: JSON.stringify({ key, run_id, turn_id, attempt, phase, role, goal, reviews, bundle }),
    signal: turn.signal,
    redirect: 'error',
  });
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  const text = await response.text();
  if (text.length > mostBytes) throw new Error(`${new URL(url).host} answered more than ${mostBytes} bytes`);
  writeFileSync(turn.result_file, text);
}
