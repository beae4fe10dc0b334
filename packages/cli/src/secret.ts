import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';

/** Where people type. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

/** Asks for something that nobody else should see, and does not show what is typed; undefined where no person can be asked. */
export async function askSecret(
  question: string,
  signal: AbortSignal,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  if (input.isTTY !== true) return undefined;
  output.write(`${question}: `);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: true });
  const gone = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  // A key like Ctrl-C belongs to the command as a whole; without a line of its own it would be lost here.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await Promise.race([lines.question('', { signal }).catch(() => ''), gone]);
    return answer.trim() === '' ? undefined : answer.trim();
  } finally {
    lines.close();
    output.write('\n');
  }
}
