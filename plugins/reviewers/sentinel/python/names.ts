import type { Masked } from '../../workspace/mask.ts';
import { functionsIn, type PythonFunction } from './functions.ts';

const outside =
  /\brequest\.(?:args|form|values|json|data|files|GET|POST|headers|cookies|get_json|query_params|path_params|query_string|params)\b/;
/** Whoever starts a command may name any file, but code and commands of it are as bad as anybody's. */
const typed = /\bsys\.argv\b|(?<![\w.])input\(/;
const assignment = /^[ \t]*(\w+)(?:[ \t]*:[^=\n]{1,60})?[ \t]*=(?!=)[ \t]*([^\n]{1,500}(?:\n[ \t]+["'f][^\n]*)*)/gm;
const session =
  /^[ \t]*((?:self\.)?\w+)(?:[ \t]*:[^=\n]{1,60})?[ \t]*=[ \t]*requests\.[Ss]ession\(|\bwith[ \t]+requests\.[Ss]ession\(\)[ \t]+as[ \t]+(\w+)/gm;

interface Value {
  readonly offset: number;
  readonly text: string;
}

/** What a Python file says about the names in it, at a place of the file. */
export class Names {
  /** Expressions that are sessions of `requests`. */
  readonly sessions: readonly string[];
  readonly #code: string;
  readonly #functions: readonly PythonFunction[];
  /** What classes are made from, by their name. */
  readonly #parents: ReadonlyMap<string, string>;
  /** For each place of the text, the number of the function around it, from 1; 0 for none. */
  readonly #owners: Uint32Array;
  /** What names were given, in turn, by the number of the function and the name. */
  readonly #values = new Map<string, Value[]>();

  constructor(masked: Masked) {
    this.#code = masked.code;
    this.#functions = functionsIn(masked);
    const classes = masked.code.matchAll(/^[ \t]*class[ \t]+(\w+)\(([^()\n]{1,300})\)/gm);
    this.#parents = new Map([...classes].map(([, name = '', parents = '']) => [name, parents]));
    this.#owners = new Uint32Array(masked.code.length + 1);
    for (const [at, { start, end }] of this.#functions.entries()) this.#owners.fill(at + 1, start, end);
    for (const { 1: name = '', 2: text = '', index } of masked.code.matchAll(assignment)) {
      const key = `${this.#owners[index]} ${name}`;
      const values = this.#values.get(key) ?? [];
      values.push({ offset: index, text: text.trim() });
      this.#values.set(key, values);
    }
    this.sessions = [...masked.code.matchAll(session)].map(([, given, opened]) => given ?? opened ?? '');
  }

  /** An expression; a single name is followed to what it was last given before, in the function or in the module. */
  resolve(text: string, at: number): string {
    return /^\w+$/.test(text) ? (this.#valueOf(text, at) ?? text) : text;
  }

  /** Whether an expression holds what comes in requests. */
  isOutside(text: string, at: number): boolean {
    const sent = this.#around(at)?.fromRequests;
    return this.#isFrom(outside, text, at) || namesIn(text).some((name) => sent?.has(name));
  }

  /** Whether it holds what somebody typed. */
  isTyped(text: string, at: number): boolean {
    return this.#isFrom(typed, text, at);
  }

  /** Whether an expression names a class that is called so, or is made from one that is. */
  isKindOf(text: string, kind: RegExp): boolean {
    return kind.test(text) || kind.test(this.#parents.get(text) ?? '');
  }

  /** The function around a place as it is written; empty outside of functions. */
  functionAt(at: number): string {
    const around = this.#around(at);
    return around === undefined ? '' : this.#code.slice(around.start, around.end);
  }

  #isFrom(source: RegExp, text: string, at: number): boolean {
    return source.test(text) || namesIn(text).some((name) => source.test(this.#valueOf(name, at) ?? ''));
  }

  #valueOf(name: string, at: number): string | undefined {
    const given = (owner: number) => this.#values.get(`${owner} ${name}`)?.findLast(({ offset }) => offset <= at)?.text;
    return given(this.#owners[at] ?? 0) ?? given(0);
  }

  #around(at: number): PythonFunction | undefined {
    return this.#functions[(this.#owners[at] ?? 0) - 1];
  }
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w."'])([a-z_]\w*)(?![\w(])/g)].map(([, name = '']) => name);
}
