/** A dependency that a manifest asks for. */
export interface Wanted {
  readonly name: string;
  readonly line: number;
}

/** Tables with one dependency a line. */
const named = /^(?:tool\.poetry\.(?:(?:dev-)?dependencies|group\.[^.]+\.dependencies)|(?:dev-)?packages)$/;
/** Tables whose lists hold dependencies; of `project` only one list does. */
const listed = /^(?:project|dependency-groups|project\.optional-dependencies)$/;

/** The dependencies of a `pyproject.toml` or a `Pipfile`, as far as lines tell them: no reader of TOML is at hand. */
export function wantedBy(text: string): Wanted[] {
  let table = '';
  let isList = false;
  return text.split('\n').flatMap((line, at): Wanted[] => {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined && !isList) {
      table = header;
      return [];
    }
    if (named.test(table)) {
      const name = /^\s*["']?([\w.-]+)["']?\s*=/.exec(line)?.[1];
      return name === undefined || name === 'python' ? [] : [{ name, line: at + 1 }];
    }
    if (listed.test(table) && (table === 'project' ? /^\s*dependencies\s*=\s*\[/ : /^\s*[\w"'-]+\s*=\s*\[/).test(line))
      isList = true;
    if (!isList) return [];
    const rest = line.replace(/^[^="']*=\s*\[/, '').replace(/\{[^}]*\}/g, '');
    const texts = [...rest.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, double, single]) => double ?? single ?? '');
    isList = !rest.replace(/"[^"]*"|'[^']*'|#.*$/g, '').includes(']');
    return texts.flatMap((one) => {
      const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(one)?.[1];
      return name === undefined ? [] : [{ name, line: at + 1 }];
    });
  });
}
