const statement = /^(?:pass|\.\.\.|return|assert\s+True|assert\s+1\s*==\s*1|self\.assertTrue\(True\))?;?$/;
const docstring = /^\s*[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?''')/;

/** What a test does, to go by its text; null if that is not told here. The text begins with the test and may go on after it. */
export function bodyIn(path: string, text: string): string | null {
  if (path.endsWith('.py')) return pythonBody(text);
  return path.endsWith('.go') ? (/^func[^{\n]*\{(\s*)\}/.exec(text)?.[1] ?? null) : null;
}

/** Whether a body shows nothing: it is empty, or says that true is true. */
export function isHollow(body: string | null): boolean {
  return body?.split('\n').every((line) => statement.test(line.trim())) ?? false;
}

function pythonBody(text: string): string | null {
  const [, indent = '', rest] =
    /^([ \t]*)(?:@[^\n]*\n[ \t]*)*(?:async\s+)?def[^\n]*:[ \t]*\n([\s\S]*)/.exec(text) ?? [];
  if (rest === undefined) return null;
  const lines = rest.split('\n');
  const end = lines.findIndex(
    (line) => line.trim() !== '' && !line.startsWith(`${indent} `) && !line.startsWith(`${indent}\t`),
  );
  return lines
    .slice(0, end === -1 ? lines.length : end)
    .join('\n')
    .replace(docstring, '');
}
