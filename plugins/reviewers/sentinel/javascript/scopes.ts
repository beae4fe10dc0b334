import type { AnyNode, Expression, Pattern } from 'acorn';
import { ancestor } from 'acorn-walk';
import type { Parsed } from './parse.ts';

/** What a name stands for. */
export type Binding =
  | { readonly kind: 'parameter'; readonly node: Pattern }
  | { readonly kind: 'value'; readonly init: Expression }
  | { readonly kind: 'import'; readonly from: string; readonly name: string };

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** The functions around a node, innermost first, and the program at last. */
export function ownersOf(ancestors: readonly AnyNode[]): readonly AnyNode[] {
  return ancestors.filter((node) => functions.has(node.type) || node.type === 'Program').reverse();
}

/** Which names mean what, function by function. Blocks are not told apart: names are rarely used twice in a function. */
export class Scopes {
  readonly #names = new Map<AnyNode, Map<string, Binding>>();

  constructor({ program }: Parsed) {
    const add = (owner: AnyNode | undefined, pattern: Pattern, bind: (node: Pattern) => Binding) => {
      if (owner === undefined) return;
      const names = this.#names.get(owner) ?? new Map();
      this.#names.set(owner, names);
      for (const node of namesIn(pattern)) if (node.type === 'Identifier') names.set(node.name, bind(node));
    };
    ancestor(program, {
      Function: (node) => {
        for (const pattern of node.params) add(node as AnyNode, pattern, (name) => ({ kind: 'parameter', node: name }));
      },
      VariableDeclarator: ({ id, init }, _, ancestors) => {
        if (init) add(ownersOf(ancestors)[0], id, () => ({ kind: 'value', init }));
      },
      ForOfStatement: ({ left, right }, _, ancestors) => {
        const id = left.type === 'VariableDeclaration' ? left.declarations[0]?.id : undefined;
        if (id) add(ownersOf(ancestors)[0], id, () => ({ kind: 'value', init: right }));
      },
      ImportDeclaration: ({ specifiers, source }, _, ancestors) => {
        for (const specifier of specifiers) {
          const imported = specifier.type === 'ImportSpecifier' ? specifier.imported : null;
          const name =
            imported === null ? '*' : imported.type === 'Identifier' ? imported.name : String(imported.value);
          add(ownersOf(ancestors)[0], specifier.local, () => ({ kind: 'import', from: String(source.value), name }));
        }
      },
    });
  }

  /** What a name means in the innermost of these functions that knows it. */
  find(name: string, owners: readonly AnyNode[]): Binding | undefined {
    for (const owner of owners) {
      const binding = this.#names.get(owner)?.get(name);
      if (binding !== undefined) return binding;
    }
    return undefined;
  }
}

function namesIn(pattern: Pattern): Pattern[] {
  switch (pattern.type) {
    case 'ObjectPattern':
      return pattern.properties.flatMap((part) => namesIn(part.type === 'Property' ? part.value : part.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap((part) => (part === null ? [] : namesIn(part)));
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [pattern];
  }
}
