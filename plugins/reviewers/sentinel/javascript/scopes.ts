import type { AnyNode, Expression, Pattern } from 'acorn';
import { ancestor } from 'acorn-walk';
import type { Parsed } from '../../workspace/parse.ts';

/** What a name stands for. */
export type Binding =
  | { readonly kind: 'parameter'; readonly node: Pattern; readonly isSent: boolean }
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
  /** The modules that are imported by name. */
  readonly imported: readonly string[];

  constructor({ program }: Parsed) {
    const add = (owner: AnyNode | undefined, pattern: Pattern, bind: (node: Pattern) => Binding) => {
      if (owner === undefined) return;
      const names = this.#names.get(owner) ?? new Map();
      this.#names.set(owner, names);
      for (const node of namesIn(pattern)) if (node.type === 'Identifier') names.set(node.name, bind(node));
    };
    const imported: string[] = [];
    this.imported = imported;
    ancestor(program, {
      Function: (node) => {
        for (const pattern of node.params) {
          const sent = new Set(sentIn(pattern, node.params));
          add(node as AnyNode, pattern, (name) => ({ kind: 'parameter', node: name, isSent: sent.has(name) }));
        }
      },
      VariableDeclarator: ({ id, init }, _, ancestors) => {
        if (init) add(ownersOf(ancestors)[0], id, () => ({ kind: 'value', init }));
      },
      ForOfStatement: ({ left, right }, _, ancestors) => {
        const id = left.type === 'VariableDeclaration' ? left.declarations[0]?.id : undefined;
        if (id) add(ownersOf(ancestors)[0], id, () => ({ kind: 'value', init: right }));
      },
      ImportDeclaration: ({ specifiers, source }, _, ancestors) => {
        imported.push(String(source.value));
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

/** The names that hold what comes in a request, where whoever answers it takes it apart: `({ query }, res) => …`. */
function sentIn(pattern: Pattern, [first, second]: readonly Pattern[]): Pattern[] {
  const isAnswered = second?.type === 'Identifier' && /^(?:res|response|reply)$/.test(second.name);
  if (pattern !== first || pattern.type !== 'ObjectPattern' || !isAnswered) return [];
  return pattern.properties.flatMap((part) =>
    part.type === 'Property' &&
    part.key.type === 'Identifier' &&
    /^(?:query|params|body|headers|cookies|files?)$/.test(part.key.name)
      ? namesIn(part.value)
      : [],
  );
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
