/** Whether one of these entries lets a workspace use a server: `gdrive` all its instances, `*` all servers. */
export function isAllowed(server: string, entries: readonly string[]): boolean {
  return entries.some((entry) => entry === '*' || entry === server || server.startsWith(`${entry}.`));
}
