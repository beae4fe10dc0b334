import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ServiceResponse } from 'patchbay-sdk';

/** What a tool of a server answered, as tools of plugins do: a text where it is only that. */
export function answerOf(answer: CallToolResult): ServiceResponse {
  const { content = [], structuredContent, isError } = answer;
  const texts = content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
  const text = texts.join('\n');
  if (isError) return { error: text === '' ? 'the tool failed, and does not say why' : text };
  if (texts.length < content.length)
    return { result: structuredContent === undefined ? content : { content, structuredContent } };
  return { result: structuredContent === undefined ? text : structuredContent };
}
