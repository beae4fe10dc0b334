/**
 * A host that talks with the people of its parent process, over a channel, and is killed in between. Its core answers with what it
 * was told. Arguments: the project, how many workspaces.
 */
import { writeFileSync } from 'node:fs';
import { definePlugin, type TurnWork } from 'patchbay-sdk';
import { ChatTurns, startAssistant } from '../../packages/host/src/assistant/index.ts';
import { workspaceOf } from '../../packages/host/src/config/workspace.ts';
import { openHost } from '../../packages/host/src/host.ts';
import { Foreman } from '../../packages/host/src/runs/foreman.ts';

const [cwd = '', count = '1'] = process.argv.slice(2);
const run = async ({ result_file, goal }: TurnWork) => writeFileSync(result_file, JSON.stringify({ summary: goal }));
const core = definePlugin({ name: 'core', version: '1.0.0', provides: { agentCore: () => ({ name: 'noop', run }) } });
const channel = {
  name: 'pipe',
  prefixAssistantName: false,
  connect: async () => {},
  disconnect: async () => {},
  isConnected: () => true,
  ownsJid: (jid: string) => jid.startsWith('pipe:'),
  sendMessage: async (jid: string, text: string) => void process.send?.({ jid, text }),
};
const pipe = definePlugin({ name: 'pipe', version: '1.0.0', provides: { channel: () => channel } });
const host = await openHost({ cwd, version: '0.0.0', builtins: [core, pipe] });
const service = await host.start();
const workspaces = Array.from({ length: Number(count) }, (_, i) =>
  workspaceOf(`w${i}`, { core: 'noop', chats: [`pipe:${i}`] }, 'pipe'),
);
const foreman = new Foreman(service);
foreman.start();
const assistant = await startAssistant({
  ...service,
  kernel: host.kernel,
  project: cwd,
  settings: { name: 'Bay', channel: 'pipe', atOnce: 4 },
  workspaces: () => workspaces,
  turns: new ChatTurns(),
  warn: (message) => process.stderr.write(`${message}\n`),
});
process.on('message', ({ jid, id }: { jid: string; id: string }) => {
  const message = { id, sender: 'ada', senderName: 'Ada', content: id, timestamp: new Date().toISOString() };
  assistant.take(jid, message).then(
    () => process.send?.({ taken: `${jid} ${id}` }),
    () => {},
  );
});
process.once('SIGTERM', async () => {
  await assistant.close();
  await foreman.close();
  await host.close();
  process.exit(0);
});
process.send?.({ ready: true });
