import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventName, sample } from 'patchbay-sdk';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

const script = join(import.meta.dirname, '../hooks/notify.mjs');
let dir: string;
let slack: Server;
let posted: { channel: string; text: string }[] = [];
let answer = 200;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'patchbay-slack-'));
  slack = createServer(async (request, response) => {
    posted.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.writeHead(answer).end('ok');
  }).listen(0, '127.0.0.1');
  await once(slack, 'listening');
});
afterAll(() => {
  slack.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  posted = [];
  answer = 200;
});

/** Runs the script as the document says that hooks are run. */
async function notify(event: EventName, config: object = {}) {
  const url = `http://127.0.0.1:${(slack.address() as AddressInfo).port}/T/B/secret`;
  const files = { payload: sample(event), config: { webhook_url: url, ...config } };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(dir, name), JSON.stringify(value));
  const child = spawn(process.execPath, [script], {
    env: {
      AGENTXCHAIN_EVENT: event,
      AGENTXCHAIN_PAYLOAD_FILE: join(dir, 'payload'),
      AGENTXCHAIN_PLUGIN_CONFIG: join(dir, 'config'),
    },
  });
  const stderr = child.stderr.toArray();
  const [code] = await once(child, 'exit');
  return { code, stderr: Buffer.concat(await stderr).toString() };
}

it.each([
  ['turn:accepted', 'Turn accepted (developer): Fixed the off-by-one in the pager'],
  ['turn:rejected', 'Turn rejected (developer): A test is missing'],
  ['gate:transition', 'ada let the run into review: Looks right'],
  ['gate:completion', 'ada approved the completion of run-1: Looks right'],
] as const)('posts %s to the channel', async (event, text) => {
  expect(await notify(event)).toEqual({ code: 0, stderr: '' });
  expect(posted).toEqual([{ channel: '#agentxchain', text }]);
});

it('mentions somebody where a gate is concerned, and only there', async () => {
  await notify('gate:completion', { mention_on_gate: '@here', channel: '#ops' });
  await notify('turn:accepted', { mention_on_gate: '@here' });
  expect(posted[0]).toEqual({ channel: '#ops', text: expect.stringMatching(/^@here ada/) });
  expect(posted[1]?.text).not.toContain('@here');
});

it('fails, without showing the secret address, when Slack does not take it', async () => {
  answer = 404;
  const { code, stderr } = await notify('turn:accepted');
  expect(code).toBe(1);
  expect(stderr).toBe('Slack answered 404\n');
});
