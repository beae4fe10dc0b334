import { createHmac } from 'node:crypto';
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openHost } from 'patchbay-host';
import { definePlugin, sample } from 'patchbay-sdk';
import { paceSample } from 'patchbay-sdk/pace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folder, root } from '../../../../test/project.ts';
import { installPlugin } from '../../src/install/index.ts';
import { emit, hearing, pluginsOf } from './pace-fixture.ts';

/** Takes requests on a port of its own until the test is over. */
async function receiver() {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, grant: `net:127.0.0.1:${port}`, bodies };
}

/** A core that is never called: the runs here are only begun. */
const idle = definePlugin({
  name: 'idle',
  version: '1.0.0',
  provides: { agentCore: () => ({ name: 'idle', run: async () => {} }) },
});

const examples = ['pace-slack-gate', 'pace-github-push', 'pace-pagerduty-out'];

/** The document's way to configure them, with endpoints of this test. */
const settings = (grant: string, dirs: string) => `plugins:
  ${dirs}
  webhook_port: 9876
  config:
    slack_gate:
      webhook_url: "\${SLACK_WEBHOOK_URL}"
    github_push:
      secret: "\${GITHUB_SECRET}"
    pagerduty_out:
      routing_key: "\${PAGERDUTY_ROUTING_KEY}"
      endpoint: "\${PAGERDUTY_URL}"
${grant === '' ? '' : `  grants: { pagerduty_out: ["${grant}"] }\n`}`;

/** A project with the three examples: in a folder of it, or installed, each in a process of its own. */
async function started(how: 'folders' | 'installed') {
  const slack = await receiver();
  const pager = await receiver();
  const local = how === 'folders';
  const dir = folder({
    'pace/pace.config.yaml': local ? settings(pager.grant, 'dirs: [plugins/]') : settings('', ''),
    'patchbay.yaml': `runs: { core: idle, roles: { gate: { core: idle }, sentinel: { core: idle }, conduit: { core: idle } } }\n`,
    'plan.yaml': 'days:\n  - day: 1\n    target: Pages are counted from one\n',
  });
  for (const name of examples) {
    const from = join(root, 'examples', name);
    if (local)
      cpSync(from, join(dir, 'plugins', name), { recursive: true, filter: (path) => !/node_modules|test$/.test(path) });
    else await installPlugin(from, { cwd: dir, grants: [slack.grant, pager.grant] });
  }
  const env = {
    ...process.env,
    SLACK_WEBHOOK_URL: slack.url,
    GITHUB_SECRET: 'a secret of GitHub',
    PAGERDUTY_ROUTING_KEY: 'a-routing-key',
    PAGERDUTY_URL: pager.url,
  };
  const { failures, onFailure } = hearing();
  const host = await openHost({ cwd: dir, version: '0.0.0', env, onFailure, builtins: [idle] });
  onTestFinished(() => host.close());
  expect([host.quarantined, host.warnings, pluginsOf(host).sort()]).toEqual([
    [],
    [],
    ['github-push', 'idle', 'pagerduty-out', 'slack-gate'],
  ]);
  return { dir, host, slack, pager, failures };
}

describe.each(['folders', 'installed'] as const)("the document's three plugins, from %s,", (how) => {
  it('tell Slack what GATE decided, and PagerDuty of a day that is held', async () => {
    const { host, slack, pager, failures } = await started(how);
    const service = await host.start();
    const { result } = sample('turn:submitted');
    const { story_card, gate_report } = paceSample('AFTER_GATE');
    const submit = (role: string, report: object) =>
      emit(service, 'turn:submitted', { role, result: { ...result, report: report as Record<string, unknown> } });
    await emit(service, 'run:started', { config_summary: { inputs: { day: 1 } } });
    await submit('prime', story_card);
    await submit('gate', { ...gate_report, gate_decision: 'HOLD', hold_reason: 'no test' });
    await emit(service, 'run:held', { reason: 'no test' });
    await emit(service, 'run:completed', { run_id: 'run-2' });
    await service.rest();
    expect(failures).toEqual([]);
    expect(slack.bodies).toEqual([{ text: 'GATE HOLD — Pages are counted from one' }]);
    expect(pager.bodies).toEqual([
      {
        routing_key: 'a-routing-key',
        event_action: 'trigger',
        payload: { summary: 'PACE HOLD: no test', severity: 'error', source: 'pace-pipeline' },
      },
    ]);
  });

  it('take a push from GitHub, and have the next day run once', async () => {
    const { host } = await started(how);
    const { webhooks } = await host.serve({ port: 0, webhookPort: 0, runsAtOnce: 0 });
    const body = JSON.stringify({ ref: 'refs/heads/main' });
    const push = (secret: string) =>
      fetch(`${webhooks}/github/push`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-github-delivery': 'delivery-1',
          'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        },
        body,
      });
    expect((await push('another secret')).status).toBe(401);
    for (let i = 0; i < 2; i++) {
      const answer = await push('a secret of GitHub');
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ status: 'accepted' })]);
    }
    const runs = await host.beside(async (_, ledger) => Array.fromAsync(ledger.runs()));
    expect(runs.map(({ template, request }) => [template, request])).toEqual([
      ['pace', expect.objectContaining({ by: 'webhook /github/push' })],
    ]);
  });
});
