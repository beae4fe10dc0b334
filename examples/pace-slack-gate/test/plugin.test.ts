import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AFTER_GATE, type GateReport, paceSample } from 'patchbay-sdk/pace';
import { expect, it, onTestFinished } from 'vitest';
import { SlackGateHook } from '../pace_plugin.ts';

/** Takes requests on a port of its own until the test is over. */
async function receiver(status = 200) {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies };
}

it('posts what GATE decided of which story', async () => {
  const slack = await receiver();
  const plugin = new SlackGateHook({ webhook_url: slack.url });
  expect(plugin.events).toEqual([AFTER_GATE]);
  await plugin.run(AFTER_GATE, paceSample(AFTER_GATE));
  const gate_report: GateReport = { ...paceSample(AFTER_GATE).gate_report, gate_decision: 'HOLD' };
  await plugin.run(AFTER_GATE, paceSample(AFTER_GATE, { gate_report, story_title: null }));
  expect(slack.bodies).toEqual([
    { text: 'GATE SHIP — Pages are counted from one' },
    { text: 'GATE HOLD — unknown story' },
  ]);
});

it('fails if Slack does not take it', async () => {
  const slack = await receiver(500);
  const plugin = new SlackGateHook({ webhook_url: slack.url });
  await expect(plugin.run(AFTER_GATE, paceSample(AFTER_GATE))).rejects.toThrow('Slack answered 500');
});
