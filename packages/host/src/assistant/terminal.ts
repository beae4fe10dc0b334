/**
 * The channel that is always there, and sends nothing: what is said at the terminal is in the ledger, where whoever looks on, by the
 * API, sees it.
 */
export const terminal = 'terminal';

/** The chat of a workspace at the terminal. */
export function terminalChat(folder: string): string {
  return `${terminal}:${folder}`;
}

/** The workspace whose chat at the terminal this is; undefined if it is none. */
export function terminalFolder(jid: string): string | undefined {
  return jid.startsWith(`${terminal}:`) ? jid.slice(terminal.length + 1) : undefined;
}
