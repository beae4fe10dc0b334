#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const read = (variable) => JSON.parse(readFileSync(process.env[variable], 'utf8'));
const config = read('AGENTXCHAIN_PLUGIN_CONFIG');
const payload = read('AGENTXCHAIN_PAYLOAD_FILE');
const event = process.env.AGENTXCHAIN_EVENT;

const comment = payload.comment ? `: ${payload.comment}` : '';
const texts = {
  'turn:accepted': () => `Turn accepted (${payload.role}): ${payload.summary}`,
  'turn:rejected': () => `Turn rejected (${payload.role}): ${payload.reason}`,
  'gate:transition': () => `${payload.approver} let the run into ${payload.to_phase}${comment}`,
  'gate:completion': () => `${payload.approver} approved the completion of ${payload.run_id}${comment}`,
};
const mention = event.startsWith('gate:') && config.mention_on_gate ? `${config.mention_on_gate} ` : '';

const response = await fetch(config.webhook_url, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ channel: config.channel ?? '#agentxchain', text: mention + texts[event]() }),
  signal: AbortSignal.timeout(8000),
});
if (!response.ok) {
  // The address is a secret: it is not printed.
  console.error(`Slack answered ${response.status}`);
  process.exitCode = 1;
}
