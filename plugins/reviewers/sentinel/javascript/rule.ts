import type { AnyNode, CallExpression, Expression, Node, ObjectExpression, SpreadElement } from 'acorn';
import type { Module } from './module.ts';
import type { Origin } from './origin.ts';

/** A call, `new` or assignment that rules look at. */
export interface Site {
  readonly node: AnyNode;
  /** The functions around it, innermost first, and the program. */
  readonly owners: readonly AnyNode[];
  readonly module: Module;
}

/** What a rule has against a site. */
export interface Objection {
  readonly check: string;
  readonly weight: 'FAIL' | 'ADVISORY';
  readonly says: string;
}

/** A rule: null if it has nothing against a site. */
export type Rule = (site: Site) => Objection | null;

/** How much a value of an origin weighs where text from outside does harm; null: nothing. */
export function weightOf(origin: Origin): Objection['weight'] | null {
  if (origin === 'constant') return null;
  return origin === 'unknown' ? 'ADVISORY' : 'FAIL';
}

/** The words for an origin. */
export function wordsFor(origin: Origin): string {
  if (origin === 'input') return 'what comes from outside';
  return origin === 'parameter' ? 'a parameter' : 'a value that may come from outside';
}

/** Whether a text is put together: a template with values in it, or a sum with a text in it. */
export function isComposed(node: Node): boolean {
  const expression = node as AnyNode;
  if (expression.type === 'TemplateLiteral') return expression.expressions.length > 0;
  if (expression.type !== 'BinaryExpression' || expression.operator !== '+') return false;
  return [expression.left, expression.right].some((part) => isText(part) || isComposed(part));
}

function isText(node: Node): boolean {
  const expression = node as AnyNode;
  return (
    expression.type === 'TemplateLiteral' || (expression.type === 'Literal' && typeof expression.value === 'string')
  );
}

/** The last of the arguments that is an object written out, and whether anything else could be options. */
export function optionsOf({ arguments: args }: CallExpression, from: number): ObjectExpression | 'none' | 'unknown' {
  const rest: (Expression | SpreadElement)[] = args
    .slice(from)
    .filter(({ type }) => type !== 'ArrowFunctionExpression' && type !== 'FunctionExpression');
  const last = rest.findLast(({ type }) => type === 'ObjectExpression');
  if (last?.type === 'ObjectExpression') return last;
  return rest.length === 0 ? 'none' : 'unknown';
}

/** Whether an object written out has one of these keys, or could: it spreads another. */
export function mayHave({ properties }: ObjectExpression, keys: RegExp): boolean {
  return properties.some((part) => {
    if (part.type !== 'Property') return true;
    return part.key.type === 'Identifier'
      ? keys.test(part.key.name)
      : part.key.type !== 'Literal' || keys.test(String(part.key.value));
  });
}

/** A name that was given its value once, followed to that value. */
export function resolved(node: Node, { module, owners }: Site): Node {
  const expression = node as AnyNode;
  return expression.type === 'Identifier' ? (module.valueOf(expression.name, owners) ?? node) : node;
}
