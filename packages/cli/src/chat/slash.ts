import { suggestion } from 'patchbay-sdk';

/** What is typed after a slash, and what it does. */
export const slashes = {
  approve: ['[ID]', 'let the call of a tool be made'],
  deny: ['[ID] [why]', 'refuse it'],
  pending: ['', 'calls that wait for you'],
  clear: ['', 'forget what was said in this chat'],
  history: ['[N]', 'what was said last'],
  help: ['', 'this list'],
  quit: ['', 'leave; Ctrl-D does too'],
} as const satisfies Record<string, readonly [args: string, summary: string]>;

/** The name of a command. */
export type Slash = keyof typeof slashes;

/** A line that was typed: words for the assistant, a command, or what is wrong with it. */
export type Typed =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'command'; readonly name: Slash; readonly args: string }
  | { readonly kind: 'wrong'; readonly hint: string };

/** Reads a line. Two slashes at its beginning stand for one that is meant as such. */
export function readLine(line: string): Typed {
  if (!line.startsWith('/')) return { kind: 'words', text: line };
  if (line.startsWith('//')) return { kind: 'words', text: line.slice(1) };
  const [, name = '', args = ''] = /^\/(\S*)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  if (Object.hasOwn(slashes, name)) return { kind: 'command', name: name as Slash, args };
  const known = Object.keys(slashes).map((one) => `/${one}`);
  return { kind: 'wrong', hint: `there is no /${name}; ${suggestion(`/${name}`, known)}` };
}

/** The list that /help shows. */
export function helpText(): string {
  const rows = Object.entries(slashes).map(([name, [args, summary]]) => [`/${name} ${args}`.trim(), summary]);
  const width = Math.max(...rows.map(([usage = '']) => usage.length));
  const lines = rows.map(([usage = '', summary]) => `  ${usage.padEnd(width)}  ${summary}`);
  return [...lines, '  A line that ends with \\ goes on in the next. Ctrl-C drops a line, twice leaves.'].join('\n');
}

/** Which of the calls that wait is meant: by its id or the beginning of it, or the only one. */
export function meant<T extends { readonly approval_id: string }>(pending: readonly T[], id: string): T | string {
  if (pending.length === 0) return 'nothing waits for you';
  const fitting = id === '' ? pending : pending.filter(({ approval_id }) => approval_id.startsWith(id));
  const exact = fitting.find(({ approval_id }) => approval_id === id);
  if (exact !== undefined) return exact;
  const [only] = fitting;
  if (fitting.length === 1 && only !== undefined) return only;
  if (fitting.length === 0) return `nothing waits under ${id}; /pending lists what does`;
  return `${fitting.length} wait: name one, as /pending lists them`;
}
