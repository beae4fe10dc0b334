/** Whether an entry of `plugins` in patchbay.yaml only says how a plugin is set up that comes with the program. */
export function isBuiltinEntry(entry: unknown): boolean {
  const keys = typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? Object.keys(entry) : [];
  return keys.length > 0 && keys.every((key) => key === 'enabled' || key === 'config');
}
