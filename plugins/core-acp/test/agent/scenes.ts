import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { methods, type RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ask, done, read, type Scene, type Stage, say, tell, write } from './stage.ts';

const never = new Promise<never>(() => {});
const result = (summary: unknown) => JSON.stringify({ status: 'completed', summary });

function attempt(act: () => void): string {
  try {
    act();
    return 'done';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'failed';
  }
}

/** What the tools answer that an agent is given, called by a real client. */
async function usesTools(stage: Stage): Promise<typeof done> {
  const [server] = stage.mcpServers;
  const client = new Client({ name: 'fake', version: '1.0.0' });
  if (server === undefined) {
    await write(stage, stage.resultFile, result('no tools'));
    return done;
  }
  const headers = 'url' in server ? Object.fromEntries(server.headers.map(({ name, value }) => [name, value])) : {};
  await client.connect(
    'command' in server
      ? new StdioClientTransport({ command: server.command, args: server.args })
      : new StreamableHTTPClientTransport(new URL('url' in server ? server.url : ''), { requestInit: { headers } }),
  );
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: 'double', arguments: { n: 21 } });
  await client.close();
  const toolCall = (title: string) => ({ toolCallId: title, title, kind: 'other' as const });
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
    { optionId: 'no', name: 'No', kind: 'reject_once' as const },
  ];
  const allowed: unknown[] = [];
  for (const title of ['mcp__patchbay__double', 'mcp__other__double']) {
    const asked: RequestPermissionRequest = { sessionId: 'session', toolCall: toolCall(title), options };
    const { outcome } = await stage.client.request(methods.client.session.requestPermission, asked);
    allowed.push(outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome);
  }
  const way = 'command' in server ? 'stdio' : 'http';
  await write(stage, stage.resultFile, result([way, tools.map(({ name }) => name), content, allowed]));
  return done;
}

/** The ways in which the fake agent behaves, by name. */
export const scenes: Readonly<Record<string, Scene>> = {
  'works by the client': {
    async play(stage) {
      const before = await read(stage, 'src/a.txt', 2, 1);
      await tell(stage, { sessionUpdate: 'tool_call', toolCallId: '1', title: 'Mend it', kind: 'edit' });
      await write(stage, `${process.cwd()}/src/deep/b.txt`, before.toUpperCase());
      await tell(stage, { sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'completed' });
      await say(stage, 'It is ');
      await say(stage, 'mended\nand well');
      await write(stage, stage.resultFile, result(stage.prompt));
      return done;
    },
  },
  'works by itself': {
    async play({ resultFile }) {
      writeFileSync('src/b.txt', 'mine');
      writeFileSync(resultFile, result(Object.keys(process.env).sort()));
      return done;
    },
  },
  'tells what it cost': {
    async play(stage) {
      const cost = { amount: 0.25, currency: 'USD' };
      await tell(stage, { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { ...cost, amount: 0.1 } });
      await tell(stage, { sessionUpdate: 'usage_update', used: 20, size: 100, cost });
      writeFileSync(stage.resultFile, JSON.stringify({ summary: 'costly', cost: { usd: 99, output_tokens: 1 } }));
      return { ...done, usage: { inputTokens: 5, outputTokens: 7, totalTokens: 15, cachedReadTokens: 3 } };
    },
  },
  'hands in by message': {
    async play(stage) {
      await say(stage, 'For example:\n```json\n{"summary": "not this"}\n```\nHere you are:\n```js');
      await say(stage, 'on\n{\n  "status": "completed",\n  "summary": "has ``` in it"\n}\n``');
      await say(stage, '`\n');
      return done;
    },
  },
  'hands in without a fence': {
    async play(stage) {
      await say(stage, 'I am done.\n\n{\n  "status": "completed",\n  "summary": "bare"\n}');
      return done;
    },
  },
  'uses tools over stdio': { play: usesTools },
  'uses tools over HTTP': { capabilities: { mcpCapabilities: { http: true } }, play: usesTools },
  'says nothing': {
    async play() {
      return done;
    },
  },
  'asks for permission': {
    async play(stage) {
      symlinkSync('/etc', 'src/link');
      const asked = [
        await ask(stage, 'edit', `${process.cwd()}/src/a.txt`),
        await ask(stage, 'edit', 'src/.new'),
        await ask(stage, 'edit', stage.resultFile),
        await ask(stage, 'read', 'README.md'),
        await ask(stage, 'think'),
        await ask(stage, 'edit', 'README.md'),
        await ask(stage, 'edit', 'src/a.txt', 'README.md'),
        await ask(stage, 'move', 'src/a.txt', '../a.txt'),
        await ask(stage, 'edit', 'src/link/passwd'),
        await ask(stage, 'delete'),
        await ask(stage, 'read', '/etc/passwd'),
        await ask(stage, 'execute'),
        await ask(stage, 'fetch'),
      ];
      await write(stage, stage.resultFile, result(asked));
      return done;
    },
  },
  'asks with a diff': {
    async play(stage) {
      const toolCallId = 'one';
      await tell(stage, { sessionUpdate: 'tool_call', toolCallId, title: 'Look', kind: 'read' });
      const { outcome } = await stage.client.request(methods.client.session.requestPermission, {
        sessionId: 'session',
        toolCall: {
          toolCallId,
          locations: [{ path: 'src/a.txt' }],
          content: [{ type: 'diff', path: 'README.md', newText: 'x' }],
        },
        options: [{ optionId: 'never', name: 'Never', kind: 'reject_always' }],
      });
      await write(stage, stage.resultFile, result(outcome));
      return done;
    },
  },
  'reaches for files': {
    async play(stage) {
      symlinkSync('/etc', 'src/link');
      symlinkSync('/nowhere/at/all', 'src/dangling');
      execFileSync('mkfifo', ['src/pipe']);
      const told = [
        await write(stage, 'README.md', 'x'),
        await write(stage, '../outside.txt', 'x'),
        await write(stage, 'src/link/x', 'x'),
        await write(stage, 'src/dangling', 'x'),
        await write(stage, '.git/config', 'x'),
        await read(stage, '/etc/hostname'),
        await read(stage, 'src/link/hostname'),
        await read(stage, 'src/none.txt'),
        await read(stage, 'src'),
        await read(stage, 'src/pipe'),
        await write(stage, 'src/pipe', 'x'),
      ];
      await write(stage, stage.resultFile, result(told));
      return done;
    },
  },
  'heeds the cancel': {
    async play(stage) {
      await say(stage, 'begun\n');
      await stage.cancelled;
      writeFileSync('src/cancelled.txt', 'yes');
      return { stopReason: 'cancelled' };
    },
  },
  'hangs for good': {
    start() {
      process.on('SIGTERM', () => {});
    },
    async play(stage) {
      const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setTimeout(() => {}, 60_000)']);
      await say(stage, `pids ${process.pid} ${child.pid}\n`);
      return never;
    },
  },
  'attacks the ledger': {
    async play({ resultFile }) {
      const state = resultFile.slice(0, resultFile.indexOf('/runs/'));
      const attempts = [
        () => appendFileSync(`${state}/ledger.db`, 'junk'),
        () => unlinkSync(`${state}/ledger.db`),
        () => renameSync(state, `${state}.away`),
      ];
      const seconds = process.env['ACP_TEST_SECONDS'] ?? '60';
      const child = spawn('sleep', [seconds], { detached: true, stdio: 'ignore' });
      await once(child, 'spawn');
      writeFileSync(resultFile, result(attempts.map(attempt).join(', ')));
      return done;
    },
  },
  'dies in between': {
    async play() {
      process.stderr.write('the model\u001b[31m is gone\n', () => process.exit(3));
      return never;
    },
  },
  'leaves a child': {
    async play(stage) {
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'inherit' });
      await say(stage, `pids ${process.pid} ${child.pid}\n`);
      writeFileSync(stage.resultFile, result('left a child'));
      return done;
    },
  },
  'prints a banner': {
    start() {
      process.stdout.write('Welcome to the agent!\n[1, 2]\n\n');
    },
    async play(stage) {
      process.stdout.write('{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"new"}}}\n');
      await write(stage, stage.resultFile, result('after the banner'));
      return done;
    },
  },
  'prints only garbage': {
    start() {
      process.stdout.write('usage: agent [--acp]\n', () => process.exit(2));
    },
    play: () => never,
  },
  'talks without end': {
    async play(stage) {
      for (let n = 0; n < 5000; n++) await say(stage, `line ${n}\n`);
      await say(stage, `${'x'.repeat(3_000_000)}\n${JSON.stringify({ summary: 'at last' })}`);
      return done;
    },
  },
  'floods its output': {
    async play() {
      const line = `${' '.repeat(1024 * 1024)}\n`;
      const more = (): void => {
        process.stdout.write(line, more);
      };
      more();
      return never;
    },
  },
  'sends one huge message': {
    async play() {
      process.stdout.write('x'.repeat(20 * 1024 * 1024));
      return never;
    },
  },
  refuses: {
    async play() {
      return { stopReason: 'refusal' };
    },
  },
  'runs out of tokens': {
    async play() {
      return { stopReason: 'max_tokens' };
    },
  },
  'fails inside': {
    async play() {
      throw new Error('the model is overloaded');
    },
  },
  'speaks another version': { version: 7, play: () => never },
  'gives no session': { session: {} as never, play: () => never },
  'has modes': {
    session: {
      sessionId: 'session',
      modes: {
        currentModeId: 'ask',
        availableModes: [
          { id: 'ask', name: 'Ask' },
          { id: 'code', name: 'Code' },
        ],
      },
    },
    async play(stage) {
      await write(stage, stage.resultFile, result('in a mode'));
      return done;
    },
  },
};
