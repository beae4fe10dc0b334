import { type ErrorCode, errorCodes, messageOf, PatchbayError } from 'patchbay-sdk';

/** An error as JSON-RPC has it; `data` is ours. */
export interface RemoteError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What Node calls what it denies, and the grant that allows it. */
const grantFor: Readonly<Record<string, string>> = {
  FileSystemRead: 'read:',
  FileSystemWrite: 'write:',
  ChildProcess: 'exec:',
};

/** Longer texts are cut: an error must never be too long to be sent. */
const longest = 16 * 1024;

/** Anything thrown, to be sent. Never throws. */
export function toRemote(thrown: unknown): RemoteError {
  const { code, message, data } = read(thrown);
  return { code, message: message.slice(0, longest), ...(data === undefined ? {} : { data: clipped(data) }) };
}

function clipped(data: Record<string, unknown>): Record<string, unknown> {
  const texts = Object.entries(data).filter(([, value]) => typeof value === 'string') as [string, string][];
  return Object.fromEntries(texts.map(([name, value]) => [name, value.slice(0, longest)]));
}

function read(thrown: unknown): { code: number; message: string; data?: Record<string, unknown> } {
  try {
    if (thrown instanceof PatchbayError) {
      const why = thrown.cause instanceof Error ? denial(thrown.cause) : undefined;
      const message = why === undefined ? thrown.message : `${thrown.message} (${why})`;
      return { code: -32000, message, data: thrown.toJSON() };
    }
    if (!(thrown instanceof Error)) return { code: -32000, message: messageOf(thrown) };
    const { name, stack } = thrown;
    return { code: -32000, message: denial(thrown) ?? messageOf(thrown), data: { name: `${name}`, stack: `${stack}` } };
  } catch {
    return { code: -32000, message: 'threw something that cannot be shown' };
  }
}

function denial(error: Error): string | undefined {
  const { code, permission, resource } = error as { code?: unknown; permission?: unknown; resource?: unknown };
  const grant = code === 'ERR_ACCESS_DENIED' ? grantFor[String(permission)] : undefined;
  return grant === undefined ? undefined : `"${grant}${String(resource ?? '')}" is not granted`;
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

/** The error that was sent, as well as it can be made again. Takes anything: it may come from a plugin. */
export function fromRemote(remote: unknown): Error {
  const { message, data } = (remote ?? {}) as { message?: unknown; data?: unknown };
  const text = typeof message === 'string' ? message : 'failed without saying how';
  const { code, hint, plugin, hook, handler, run, file, field, name, stack } = (data ?? {}) as Record<string, unknown>;
  if (typeof code === 'string' && Object.hasOwn(errorCodes, code)) {
    const blame = { plugin, hook, handler, run, file, field };
    const known = Object.fromEntries(Object.entries(blame).filter(([, value]) => isText(value)));
    return new PatchbayError(code as ErrorCode, text, typeof hint === 'string' ? { ...known, hint } : known);
  }
  const error = new Error(text);
  if (typeof name === 'string') error.name = name;
  if (typeof stack === 'string') error.stack = stack;
  return error;
}
