/** What is wrong, in the words of who planted it. */
export type Kind =
  | 'tests'
  | 'criterion'
  | 'secret'
  | 'traversal'
  | 'injection'
  | 'deserialisation'
  | 'tls'
  | 'timeout'
  | 'workflow injection'
  | 'action'
  | 'test step'
  | 'lock'
  | 'target';

/** A defect that is in a repository on purpose. */
export interface Planted {
  readonly kind: Kind;
  /** The file that it is in, or files any of which may be named for it; none for what `gate` judges. */
  readonly file?: string | readonly string[];
  /** Text that is in the file once: whoever finds the defect names one of its lines. For a criterion, the criterion. */
  readonly at?: string;
}

/** The files of a repository, by path. */
export type Files = Readonly<Record<string, string>>;

/** A small repository, and what a reviewer should say about it. */
export interface Case {
  /** Unlike that of any other case. */
  readonly name: string;
  readonly files: Files;
  /** Nothing: the case is clean, every concern about it is a false alarm. */
  readonly planted: readonly Planted[];
  /** Acceptance criteria of the work. */
  readonly criteria?: readonly string[];
}

/** The text of a file, written with the indentation of the code around it, which is taken off. */
export function file(strings: TemplateStringsArray, ...values: readonly string[]): string {
  const text = strings.reduce((so_far, part, i) => so_far + (values[i - 1] ?? '') + part);
  const lines = text.replace(/^\n/, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(indent)).join('\n');
}
