/** `{name}`; one that is doubled stands for itself, and `${NAME}` is for somebody else. */
const placeholder = /\{\{([A-Za-z_]\w*)\}\}|(?<!\$)\{([A-Za-z_]\w*)\}/g;

/** A text with what its placeholders stand for. One that stands for nothing is left as it is. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(placeholder, (whole, doubled?: string, name?: string) => {
    if (doubled !== undefined) return `{${doubled}}`;
    return Object.hasOwn(values, name ?? '') ? (values[name ?? ''] ?? whole) : whole;
  });
}

/** The names of the placeholders in a text. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholder)].flatMap(([, , name]) => name ?? []);
}

/** The names of the ports of a server, as they stand in placeholders. */
export function portNames(extraPorts: number): string[] {
  return ['port', ...Array.from({ length: extraPorts }, (_, index) => `extra_port_${index + 1}`)];
}
