import type { LanguageModel } from 'ai';
import type { LlmMessage, LlmRequest } from 'patchbay-sdk';

/** A model, as the library wants it. */
export type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
/** What the library asks of a model. */
export type CallOptions = Parameters<Model['doGenerate']>[0];
type Message = CallOptions['prompt'][number];
type ToolPart = Extract<Message, { role: 'tool' }>['content'][number];
type Output = Extract<ToolPart, { type: 'tool-result' }>['output'];

/** What the library asks of a model, in the words that providers of plugins are given. */
export function requestOf(model: string, { prompt, tools = [], maxOutputTokens }: CallOptions): LlmRequest {
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  return {
    model,
    system: system.join('\n\n'),
    messages: prompt.flatMap(messagesOf),
    tools: tools.flatMap((tool) => {
      if (tool.type !== 'function') return [];
      const { name, description = '', inputSchema } = tool;
      return [{ name, description, inputSchema }];
    }),
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
  };
}

function messagesOf(message: Message): LlmMessage[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ role: 'user', text: textOf(message.content) }];
    case 'assistant': {
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
      );
      return [{ role: 'assistant', text: textOf(message.content), calls }];
    }
    case 'tool':
      return message.content.flatMap((part): LlmMessage[] => {
        if (part.type !== 'tool-result') return [];
        const { toolCallId: callId, toolName: name, output } = part;
        return [{ role: 'tool', callId, name, output: outputOf(output) }];
      });
  }
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('');
}

function outputOf(output: Output): string {
  if (output.type === 'execution-denied') return output.reason ?? 'was not allowed';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}
