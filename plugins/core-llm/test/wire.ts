import type { Answer, Asked } from './server.ts';

/** A call of a tool; arguments that are a text are sent as they are, JSON or not. */
export interface Call {
  readonly tool: string;
  readonly args: object | string;
}

/** How a provider speaks. */
export interface Wire {
  readonly provider: 'openai-compatible' | 'anthropic';
  calls(...calls: Call[]): Answer;
  says(text: string): Answer;
  refuses(text: string): Answer;
  fails(status: number, message: string): Answer;
  /** What the real server would have against a request. */
  refuse(asked: Asked): string | undefined;
  /** What the tools have answered, last request, in order. */
  toldBy(asked: Asked): string[];
}

/** The tokens that each answer is said to have cost. */
export const usage = { input: 100, output: 20 };

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

let count = 0;
const nextId = (prefix: string) => `${prefix}_${++count}`;

/** Soon, so that tests need not wait for the usual pauses between tries. */
const soon = { 'retry-after-ms': '1' };

function completion(message: object, finish_reason: string): Answer {
  return {
    body: {
      id: nextId('chatcmpl'),
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
      usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
    },
  };
}

/** OpenAI's chat completions, as many servers speak them. */
export const openai: Wire = {
  provider: 'openai-compatible',
  calls: (...calls) =>
    completion(
      {
        tool_calls: calls.map(({ tool, args }) => ({
          id: nextId('call'),
          type: 'function',
          function: { name: tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
        })),
      },
      'tool_calls',
    ),
  says: (content) => completion({ content }, 'stop'),
  refuses: (refusal) => completion({ refusal }, 'stop'),
  fails: (status, message) => ({ status, headers: soon, body: { error: { message, type: 'error', code: null } } }),
  refuse: ({ path, headers, body }) => {
    if (path !== '/v1/chat/completions') return `no such path ${path}`;
    if (headers.authorization !== 'Bearer sk-secret-key-1234') return 'no key';
    const messages = body['messages'] as readonly ChatMessage[];
    const open = new Set<string>();
    for (const { role, tool_calls = [], tool_call_id } of messages) {
      if (role === 'tool' && !open.delete(tool_call_id ?? '')) return `tool message answers nothing: ${tool_call_id}`;
      if (role !== 'tool' && open.size > 0) return `calls were not answered: ${[...open]}`;
      for (const { id } of tool_calls) open.add(id);
    }
    return open.size > 0 ? 'calls were not answered' : undefined;
  },
  toldBy: ({ body }) =>
    (body['messages'] as readonly ChatMessage[]).flatMap(({ role, content }) =>
      role === 'tool' ? [content ?? ''] : [],
    ),
};

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: string | readonly { readonly text: string }[];
}

function message(content: readonly object[], stop_reason: string): Answer {
  return {
    body: {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason,
      stop_sequence: null,
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    },
  };
}

/** Anthropic's messages. */
export const anthropic: Wire = {
  provider: 'anthropic',
  calls: (...calls) =>
    message(
      calls.map(({ tool, args }) => ({ type: 'tool_use', id: nextId('toolu'), name: tool, input: args })),
      'tool_use',
    ),
  says: (text) => message([{ type: 'text', text }], 'end_turn'),
  refuses: (text) => message([{ type: 'text', text }], 'refusal'),
  fails: (status, text) => ({
    status,
    headers: soon,
    body: { type: 'error', error: { type: 'api_error', message: text } },
  }),
  refuse: ({ path, headers, body }) => {
    if (path !== '/v1/messages') return `no such path ${path}`;
    if (headers['x-api-key'] !== 'sk-secret-key-1234') return 'no key';
    if (headers['anthropic-version'] !== '2023-06-01') return 'anthropic-version is missing';
    if (typeof body['max_tokens'] !== 'number') return 'max_tokens is missing';
    let open = new Set<string | undefined>();
    for (const { role, content } of body['messages'] as readonly {
      role: string;
      content: string | readonly Block[];
    }[]) {
      const blocks = typeof content === 'string' ? [] : content;
      const answered = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
      if (open.size > 0 && (role !== 'user' || open.symmetricDifference(new Set(answered)).size > 0)) {
        return 'tool_use without tool_result in the next message';
      }
      open = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
    }
    return open.size > 0 ? 'tool_use without tool_result' : undefined;
  },
  toldBy: ({ body }) =>
    (body['messages'] as readonly { content: string | readonly Block[] }[])
      .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content = '' }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join(''))),
};
