const settings = `# Patchbay: an assistant to talk with: patchbay chat
plugins:
  notes: { path: plugins/notes.mjs }   # a tool of your own: look there how it is made

assistant:
  name: Patchbay                       # how it calls itself

workspaces:
  home:                                # its folder is workspaces/home, its memory is its own
    core: script                       # who answers: here a program that needs no account
    with: { command: [./assistant.mjs] }
    # A language model instead (docs/llm.md):
    # core: llm
    # with: { provider: anthropic, model: NAME, env: [ANTHROPIC_API_KEY] }
    # Or an agent that speaks the Agent Client Protocol:
    # core: acp
    # with: { command: [my-agent, --acp] }

# Calls of tools wait for you unless something else is said here; those of the memory do not.
# services:
#   tools:
#     write_note: { tier: always-approve }
`;

const notes = `// A plugin with one tool, which agents may call when you let them.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '..', 'NOTES.md');

export default {
  name: 'notes',
  version: '1.0.0',
  provides: {
    serviceTools: () => ({
      write_note: {
        description: 'Adds a line to NOTES.md of the project.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string', minLength: 1 } },
          required: ['text'],
          additionalProperties: false,
        },
        handler: ({ text }) => {
          appendFileSync(file, '- ' + text + '\\n');
          return { result: 'written' };
        },
      },
    }),
  },
};
`;

const assistant = `#!/usr/bin/env node
// Plays the assistant: a program that knows three sentences and keeps what it is told in the memory of its workspace.
// The message is in PATCHBAY_GOAL, what was said before in conversation.json of PATCHBAY_BUNDLE; the answer goes to PATCHBAY_RESULT.
import { writeFileSync } from 'node:fs';
import { connect } from './tools.mjs';

const said = process.env.PATCHBAY_GOAL.trim();
const sentences = [
  [/^remember (?:that )?(.+)$/is, remember],
  [/^(?:what|who|where|when|which|recall)\\b(.+)$/is, recall],
  [/^note:? (.+)$/is, note],
];

async function remember(fact) {
  const key = fact.toLowerCase().split(/[^\\p{L}\\p{N}]+/u).filter(Boolean).slice(0, 8).join('-') || 'something';
  await tools.call('memory_save', { key, content: fact });
  return 'I will remember that ' + fact;
}

async function recall(question) {
  const small = /^(?:did|do|does|is|are|was|were|you|know|say|said|tell|told|about|the|my|and|for|have|has)$/i;
  const words = question.match(/[\\p{L}\\p{N}]{2,}/gu)?.filter((word) => !small.test(word)) ?? [];
  const found = JSON.parse(await tools.call('memory_recall', { query: words.join(' '), limit: 3 }));
  if (found.length === 0) return 'I know nothing of that.';
  return ['You told me:', ...found.map(({ content }) => '- ' + content)].join('\\n');
}

async function note(text) {
  await tools.call('write_note', { text });
  return 'I wrote it down in NOTES.md: ' + text;
}

const tools = await connect();
let answer = 'I know three sentences: "remember that …", "what did I say about …?" and "note …", which asks you first.';
for (const [pattern, act] of sentences) {
  const match = pattern.exec(said);
  if (match === null) continue;
  answer = await act(match[1].trim()).catch((error) => 'That did not work: ' + error.message);
  break;
}
tools.close();
writeFileSync(process.env.PATCHBAY_RESULT, JSON.stringify({ summary: answer }));
`;

const tools = `// The tools of a turn, by the Model Context Protocol: one message a line, to and from a program that Patchbay names.
// With the SDK of the protocol this is StdioClientTransport.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export async function connect() {
  const [program, ...args] = JSON.parse(process.env.PATCHBAY_MCP_COMMAND);
  const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let last = 0;
  const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method === 'ping') send({ id, result: {} });
    if (method !== undefined) return;
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  const ended = (why) => {
    for (const { reject } of waiting.values()) reject(new Error('the tools are gone: ' + why));
  };
  server.on('error', (error) => ended(error.message));
  server.on('exit', (code) => ended('exit ' + code));
  server.stdin.on('error', () => {});

  const clientInfo = { name: 'assistant', version: '1.0.0' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  return {
    /** What a tool answers, as text; it may take until you have approved it. */
    async call(name, input) {
      const { content, isError } = await ask('tools/call', { name, arguments: input });
      const text = content.map((part) => part.text ?? '').join('');
      if (isError) throw new Error(text);
      return text;
    },
    close: () => server.stdin.end(),
  };
}
`;

/** The files of a project with an assistant that can be talked with at once. */
export const assistantProject: Readonly<Record<string, string>> = {
  'patchbay.yaml': settings,
  'plugins/notes.mjs': notes,
  'workspaces/home/assistant.mjs': assistant,
  'workspaces/home/tools.mjs': tools,
};
