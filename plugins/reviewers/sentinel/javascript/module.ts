import type { AnyNode, Node } from 'acorn';
import type { Parsed } from '../../workspace/parse.ts';
import { type Origin, Origins } from './origin.ts';
import { Scopes } from './scopes.ts';

/** What a function that is called is: an export of a module, or a global if `from` is null. */
export interface Callee {
  readonly from: string | null;
  readonly name: string;
}

/** A parsed module that rules ask about. */
export class Module {
  readonly #parsed: Parsed;
  readonly #scopes: Scopes;
  readonly #origins: Origins;
  #imports: readonly string[] | undefined;

  constructor(parsed: Parsed) {
    this.#parsed = parsed;
    this.#scopes = new Scopes(parsed);
    this.#origins = new Origins(parsed, this.#scopes);
  }

  /** A node as it is written, types aside. */
  text({ start, end }: Node): string {
    return this.#parsed.code.slice(start, end);
  }

  /** The whole module, types aside. */
  get code(): string {
    return this.#parsed.code;
  }

  /** Where a value comes from. `cleaned` names functions that make it harmless; none by default. */
  origin(node: Node, owners: readonly AnyNode[], cleaned = /^$/): Origin {
    return this.#origins.of(node, owners, cleaned);
  }

  /** What a name was given where it was declared; null for parameters, imports and names of elsewhere. */
  valueOf(name: string, owners: readonly AnyNode[]): Node | null {
    const binding = this.#scopes.find(name, owners);
    return binding?.kind === 'value' ? binding.init : null;
  }

  /** Whether it imports or requires a module with such a name. */
  imports(name: RegExp): boolean {
    this.#imports ??= [...this.#scopes.imported.map(bare), ...requires(this.#parsed.code)];
    return this.#imports.some((from) => name.test(from));
  }

  /** What an expression that is called stands for; null if that cannot be told. */
  callee(node: AnyNode, owners: readonly AnyNode[]): Callee | null {
    if (node.type === 'ParenthesizedExpression') return this.callee(node.expression, owners);
    if (node.type === 'SequenceExpression') {
      const last = node.expressions.at(-1);
      return last === undefined ? null : this.callee(last, owners);
    }
    if (node.type === 'MemberExpression') {
      if (node.property.type !== 'Identifier') return null;
      if (/^(?:globalThis|window|self)$/.test(this.text(node.object))) return { from: null, name: node.property.name };
      const from = this.#moduleOf(node.object, owners);
      return from === null ? null : { from, name: node.property.name };
    }
    if (node.type !== 'Identifier') return null;
    const binding = this.#scopes.find(node.name, owners);
    if (binding === undefined) return { from: null, name: node.name };
    if (binding.kind === 'import')
      return { from: bare(binding.from), name: binding.name === '*' ? 'default' : binding.name };
    if (binding.kind === 'parameter') return null;
    const { init } = binding;
    const from = this.#moduleOf(init, owners);
    if (from !== null) return { from, name: node.name };
    const isPromisified = init.type === 'CallExpression' && /(?:^|\.)promisify$/.test(this.text(init.callee));
    const [inner] = isPromisified ? init.arguments : [];
    return inner ? this.callee(inner, owners) : null;
  }

  /** The module that an expression is: a whole import, or `require('…')`. */
  #moduleOf(node: AnyNode, owners: readonly AnyNode[]): string | null {
    const required = /^(?:await import|require)\(\s*['"]([^'"]+)['"]\s*\)/.exec(this.text(node))?.[1];
    if (required !== undefined) return bare(required);
    if (node.type !== 'Identifier') return null;
    const binding = this.#scopes.find(node.name, owners);
    if (binding?.kind === 'import' && (binding.name === '*' || binding.name === 'default')) return bare(binding.from);
    return binding?.kind === 'value' && binding.init.type !== 'Identifier'
      ? this.#moduleOf(binding.init, owners)
      : null;
  }
}

function bare(specifier: string): string {
  return specifier.replace(/^node:/, '');
}

function requires(code: string): string[] {
  return [...code.matchAll(/\brequire\(\s*['"]([^'"\n]{1,100})['"]\s*\)/g)].map(([, from = '']) => from);
}
