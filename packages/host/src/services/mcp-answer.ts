import type { CallToolResult } from '@modelcontextprotocol/server';
import { problemOf, type ServiceResponse } from 'patchbay-sdk';
import * as z from 'zod/mini';

const text = z.string();

/** What servers answer that is not only text. */
const contents = z
  .array(
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('text'), text }),
      z.looseObject({ type: z.literal('image'), data: text, mimeType: text }),
      z.looseObject({ type: z.literal('audio'), data: text, mimeType: text }),
      z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ uri: text }) }),
      z.looseObject({ type: z.literal('resource_link'), uri: text, name: text }),
    ]),
  )
  .check(z.minLength(1));

/** The response of a tool, as the protocol has it. What already is such an answer, of an MCP server, is passed on as it is. */
export function answerOf(response: ServiceResponse): CallToolResult {
  if ('error' in response) return { content: [textOf(response.error)], isError: true };
  const { result } = response;
  const fields = isFields(result) ? result : undefined;
  const given = fields === undefined ? result : fields['content'];
  if (problemOf(contents, given) === undefined) {
    const structured = fields?.['structuredContent'];
    const content = given as CallToolResult['content'];
    return { content, ...(isFields(structured) ? { structuredContent: structured } : {}) };
  }
  const words = typeof result === 'string' ? result : JSON.stringify(result);
  return { content: [textOf(words)], ...(fields === undefined ? {} : { structuredContent: fields }) };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(words: string) {
  return { type: 'text' as const, text: words };
}
