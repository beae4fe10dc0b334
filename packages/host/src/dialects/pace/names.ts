/** What the kernel calls the plugin of an entry: `slack_gate` is `slack-gate`. */
export function kernelName(entry: string): string {
  const safe = entry
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return safe === '' ? 'plugin' : safe;
}

/** The name of a class as entries are written: `SlackGateHook` is `slack_gate_hook`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
