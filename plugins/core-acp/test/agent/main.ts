import { Readable, Writable } from 'node:stream';
import { agent, type McpServer, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { scenes } from './scenes.ts';

const scene = scenes[process.argv[2] ?? ''];
if (scene === undefined) throw new Error(`there is no scene "${process.argv[2]}"`);
// Should a test be killed before it could stop its agent.
setTimeout(() => process.exit(9), 60_000).unref();
scene.start?.();

const stream = ndJsonStream(
  Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
);
let mcpServers: readonly McpServer[] = [];
const cancelled = Promise.withResolvers<void>();

agent({ name: 'fake' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: scene.version ?? 1,
    ...(scene.capabilities === undefined ? {} : { agentCapabilities: scene.capabilities }),
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    mcpServers = params.mcpServers;
    return scene.session ?? { sessionId: 'session' };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    process.stderr.write(`mode ${params.modeId}\n`);
    return {};
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) => {
    const [block] = params.prompt;
    const prompt = block?.type === 'text' ? block.text : '';
    const resultFile = /Write one JSON object to (\S+);/.exec(prompt)?.[1] ?? '';
    return scene.play({ client, prompt, resultFile, mcpServers, cancelled: cancelled.promise });
  })
  .onNotification(methods.agent.session.cancel, () => cancelled.resolve())
  .connect(stream);
