import { lastUpTo } from '../../workspace/lines.ts';
import { type Masked, mask } from '../../workspace/mask.ts';

const outside =
  /\b(?:r|req|request|c|ctx)\.(?:URL\.(?:Query\(|Path|RawQuery)|FormValue\(|PostFormValue\(|PathValue\(|Form\b|Header\.Get\(|Params?\(|Query\(|QueryParam\()|\bmux\.Vars\(|\bchi\.URLParam\(/;

/** The text of a Go file, and what it says about the names in it. */
export class GoText {
  readonly masked: Masked;
  readonly #values = new Map<string, string>();
  readonly #functions: readonly number[];
  readonly #imports: ReadonlySet<string>;

  constructor(text: string) {
    this.masked = mask(text, 'curly');
    const assignment = /^[ \t]*(\w+)(?:, ?\w+)?[ \t]*:?=[ \t]*([^\n]{1,500})/gm;
    for (const [, name = '', value = ''] of this.masked.code.matchAll(assignment)) this.#values.set(name, value);
    const imports = this.masked.code.matchAll(/^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([\w./-]{1,200})"[ \t]*$/gm);
    this.#imports = new Set([...imports].map(([, name = '']) => name));
    this.#functions = [...this.masked.bare.matchAll(/^func\b/gm)].map(({ index }) => index);
  }

  /** An expression; a single name is followed to what it was last given. */
  resolve(text: string): string {
    return this.#values.get(text) ?? text;
  }

  /** Whether an expression holds what comes in requests. */
  isOutside(text: string): boolean {
    const names = [...text.matchAll(/(?<![\w."])([a-z]\w*)(?![\w(])/g)].map(([, name = '']) => name);
    return outside.test(text) || names.some((name) => outside.test(this.#values.get(name) ?? ''));
  }

  /** Whether the file imports a package. */
  imports(name: string): boolean {
    return this.#imports.has(name);
  }

  /** The function around a place as it is written, or what stands before the first. */
  functionAt(offset: number): string {
    const at = lastUpTo(this.#functions, offset);
    return this.masked.code.slice(this.#functions[at] ?? 0, this.#functions[at + 1]);
  }
}
