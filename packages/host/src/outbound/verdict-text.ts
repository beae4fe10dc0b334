const messageLines = 5;
const messageChars = 1_000;

/** What a program said last, for a message: most often that is why it failed. */
export function lastLines(text: string): string {
  const lines = text.trim().split('\n').slice(-messageLines).join('\n');
  return lines.length > messageChars ? `…${lines.slice(-messageChars)}` : lines;
}

/** What a process of the 0.1 form answered. */
export interface SpokenVerdict {
  readonly verdict: 'ok' | 'warn' | 'block';
  readonly message: string | null;
  readonly annotations: Readonly<Record<string, unknown>> | null;
}

const verdicts: Readonly<Record<string, SpokenVerdict['verdict']>> = { allow: 'ok', warn: 'warn', block: 'block' };

/** Reads the answer of a process of the 0.1 form; nothing at all allows. Undefined if it is no verdict. */
export function verdictIn(stdout: string): SpokenVerdict | undefined {
  if (stdout.trim() === '') return { verdict: 'ok', message: null, annotations: null };
  const said = jsonIn(stdout);
  if (typeof said !== 'object' || said === null) return undefined;
  const { verdict, message, annotations } = said as Record<string, unknown>;
  if (typeof verdict !== 'string' || !Object.hasOwn(verdicts, verdict)) return undefined;
  return {
    verdict: verdicts[verdict] ?? 'ok',
    message: typeof message === 'string' ? message : null,
    annotations: annotationsIn(annotations),
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The 0.1 form lists them as `{key, value}`; a record is taken too. */
function annotationsIn(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return value as Record<string, unknown>;
  const pairs = value.flatMap((one) => (typeof one?.key === 'string' ? [[one.key, one.value] as const] : []));
  return pairs.length === 0 ? null : Object.fromEntries(pairs);
}
