const test =
  /(?:^|[\s/])(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:t|tst|test)(?:[:\w-]*)|npx\s+(?:vitest|jest|mocha|ava|playwright|tap)|vitest|jest|mocha|pytest|py\.test|python3?\s+-m\s+(?:pytest|unittest)|tox|nox|go\s+test|cargo\s+(?:test|nextest)|make\s+(?:-\S+\s+)*(?:test|check)[\w-]*|mvn\s[^|;&]*\b(?:test|verify)|(?:\.\/)?gradlew?\s[^|;&]*\b(?:test|check)|dotnet\s+test|phpunit|rspec|ctest|deno\s+test|node\s+(?:--\S+\s+)*--test)(?![\w-])/;
const lint =
  /(?:^|[\s/])(?:(?:npm|pnpm|yarn)\s+run\s+(?:lint|typecheck|check)|eslint|biome|ruff|mypy|flake8|golangci-lint|tsc|cargo\s+clippy|go\s+vet)(?![\w-])/;

/** What a line of shell checks; null if nothing that is known here. */
export function checkedBy(line: string): 'tests' | 'lint' | null {
  if (test.test(line)) return 'tests';
  return lint.test(line) ? 'lint' : null;
}

/**
 * Whether a command does nothing but run tests: what stands in a comment, behind `echo` or before `|| true` runs none that
 * anybody hears of.
 */
export function isTestRun(command: string): boolean {
  const plain = command
    .trim()
    .replace(/^cd\s+[\w./-]+\s*&&\s*/, '')
    .replace(/^(?:[A-Z_]\w*=\S*\s+)*(?:(?:uv|poetry|pipenv|pdm|hatch)\s+run\s+|(?:pnpm|bundle)\s+exec\s+)?/, '');
  return !/[|;&#`$<>\n]/.test(plain) && test.exec(plain)?.index === 0;
}

/** The lines of a script, those that go on joined, without comments, each with where it begins (from 0). */
export function linesOf(script: string): { readonly text: string; readonly at: number }[] {
  const lines: { text: string; at: number }[] = [];
  let open = false;
  for (const [at, raw] of script.split('\n').entries()) {
    const text = raw.replace(/(?:^|\s)#.*$/, '').trimEnd();
    const last = lines.at(-1);
    if (open && last) last.text += ` ${text.trim()}`;
    else lines.push({ text: text.trim(), at });
    const now = lines.at(-1);
    open = text.endsWith('\\');
    if (open && now) now.text = now.text.slice(0, -1);
  }
  return lines.filter(({ text }) => text !== '');
}

/** What a script has in it that goes to another folder: where to, only a shell knows. */
export const elsewhere = /(?:^|[\s;&(])(?:cd|pushd)\s|git clone/;

/** The commands of a line, whatever joins them. */
export function commandsOf(line: string): string[] {
  return line.split(/&&|\|\||[;|]/).map((command) => command.trim().replace(/^(?:sudo\s+)?(?:[A-Z_]\w*=\S*\s+)*/, ''));
}

/** The file of the workspace that a command starts or has started: `./a.sh`, `bash a.sh`, `node a.js`; null if it is none. */
export function programIn(command: string): string | null {
  const words = command.split(/\s+/);
  const interpreter = /^(?:(?:ba|z)?sh|source|\.|node|python3?|ruby|perl)$/.test(words[0] ?? '');
  const word = interpreter ? words.slice(1).find((one) => !one.startsWith('-')) : words[0];
  if (word === undefined || (!interpreter && !word.startsWith('./'))) return null;
  const path = word.replace(/^\.\//, '');
  return /^\w[\w.-]*(?:\/\w[\w.-]*)*\.(?:(?:ba|z)?sh|py|rb|pl|[cm]?[jt]s)$/.test(path) ? path : null;
}

/** How a line lets a check fail unnoticed; null if it does not. */
export function swallowedBy(line: string, pipefail: boolean): string | null {
  const parts = line.split(/(\|\||&&|;|\|)/);
  const at = parts.findIndex((part) => checkedBy(part) !== null);
  if (at === -1) return null;
  const rest = parts.slice(at + 1);
  const [joint, next = ''] = rest;
  if (
    joint === '||' &&
    /^\s*(?:true|:|exit\s+0|echo\b.*)\s*$/.test(next) &&
    !/exit\s+[1-9$]|\bfalse\b/.test(rest.join(''))
  )
    return `|| ${next.trim()}`;
  if (joint === ';' && /^\s*(?:true|:|exit\s+0)\s*$/.test(next)) return `; ${next.trim()}`;
  return joint === '|' && !pipefail && /^\s*tee\b/.test(next)
    ? '| tee, whose success hides the failure before it'
    : null;
}
