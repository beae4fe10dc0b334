import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import type { TurnWork } from 'patchbay-sdk';

/** What a turn has cost, as far as it is known. */
export interface Measured {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly usd?: number | undefined;
}

/** A result larger than this is left as it is: the host takes none of that size, nor anything that is not a file. */
const mostBytes = 1024 * 1024;

/** Sees to it that the result is in its file, if the agent gave one anywhere, with what the turn has cost by measure. */
export function handIn({ result_file }: TurnWork, said: string, measured: Measured): void {
  const stat = lstatSync(result_file, { throwIfNoEntry: false });
  if (stat !== undefined && (!stat.isFile() || stat.size > mostBytes)) return;
  const result = stat === undefined ? lastObject(said) : objectIn(readFileSync(result_file, 'utf8'));
  if (result === undefined) return;
  const cost = Object.entries(measured).filter(([, value]) => value !== undefined);
  if (stat !== undefined && cost.length === 0) return;
  const nothing = { input_tokens: 0, output_tokens: 0, usd: 0 };
  const costs = cost.length === 0 ? {} : { cost: { ...nothing, ...claimed(result), ...Object.fromEntries(cost) } };
  const text = `${JSON.stringify({ ...result, ...costs }, null, 2)}\n`;
  writeFileSync(result_file, text, { flag: stat === undefined ? 'wx' : 'w' });
}

/** The last JSON object in a text: in a fence, or from the beginning of a line to the end. */
export function lastObject(text: string): Record<string, unknown> | undefined {
  for (const block of fenced(text).reverse()) {
    const found = objectIn(block);
    if (found !== undefined) return found;
  }
  return objectIn(text.slice(`\n${text}`.lastIndexOf('\n{')));
}

/** What stands between fences. In JSON no line can begin with one, so the next one ends it. */
function fenced(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] | undefined;
  for (const line of text.split('\n')) {
    if (!/^```\w*\s*$/.test(line)) open?.push(line);
    else if (open === undefined || line.trim() !== '```') open = [];
    else {
      blocks.push(open.join('\n'));
      open = undefined;
    }
  }
  return blocks;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function claimed({ cost }: Record<string, unknown>): object {
  return typeof cost === 'object' && cost !== null ? cost : {};
}
