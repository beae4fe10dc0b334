import { type Function as AnyFunction, type AnyNode, type Pattern, parseExpressionAt } from 'acorn';
import { simple } from 'acorn-walk';
import { fieldsOf } from 'patchbay-sdk';
import type { Inspect } from '../kernel/index.ts';

/**
 * The payload fields that a handler reads and its hook does not have: what the compiler tells TypeScript authors, told
 * to those who write JavaScript. Looks at the source of the function: a pattern as first parameter, and plain reads
 * from a first parameter that is never shadowed or assigned. Anything less clear is let pass.
 */
export const inspectHandler: Inspect = (fn, row) => {
  const known = fieldsOf(row.payload);
  const node = parse(Function.prototype.toString.call(fn));
  if (known === undefined || node === undefined) return [];
  const parameter = node.params[0];
  if (parameter === undefined) return [];
  const pattern = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
  const read = pattern.type === 'Identifier' ? readsFrom(node, pattern.name) : namesIn(pattern);
  return read.filter((name) => !known.includes(name) && !(name in Object.prototype));
};

function parse(source: string): AnyFunction | undefined {
  // A method shorthand is a function only inside an object.
  for (const [text, method] of [
    [`(${source})`, false],
    [`({${source}})`, true],
  ] as const) {
    try {
      const node = parseExpressionAt(text, 0, { ecmaVersion: 'latest' });
      if (!method && (node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression')) return node;
      if (node.type === 'ObjectExpression' && node.properties[0]?.type === 'Property') {
        const { value } = node.properties[0];
        if (value.type === 'FunctionExpression') return value;
      }
    } catch {
      // Native code, or a form that the parser does not know: nothing can be said of it.
    }
  }
  return undefined;
}

/** The names that a pattern takes out of an object. */
function namesIn(pattern: Pattern): string[] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property) => {
    if (property.type !== 'Property' || property.computed) return [];
    const { key } = property;
    return key.type === 'Identifier' ? [key.name] : key.type === 'Literal' ? [String(key.value)] : [];
  });
}

/** The names read from a variable in a function's body; none if the name may mean something else somewhere. */
function readsFrom(fn: AnyFunction, variable: string): string[] {
  const read: string[] = [];
  const tested = new Set<string>();
  let unclear = false;
  const isIt = (node: AnyNode) => node.type === 'Identifier' && node.name === variable;
  simple(fn.body, {
    // Wherever a name is declared or assigned.
    Pattern(node) {
      if (isIt(node)) unclear = true;
    },
    ForOfStatement({ left }) {
      if (isIt(left)) unclear = true;
    },
    ForInStatement({ left }) {
      if (isIt(left)) unclear = true;
    },
    MemberExpression({ object, property, computed }) {
      if (!isIt(object)) return;
      if (!computed && property.type === 'Identifier') read.push(property.name);
      else if (property.type === 'Literal' && typeof property.value === 'string') read.push(property.value);
    },
    BinaryExpression({ operator, left, right }) {
      if (operator === 'in' && isIt(right) && left.type === 'Literal') tested.add(String(left.value));
    },
    VariableDeclarator({ id, init }) {
      if (init && isIt(init)) read.push(...namesIn(id));
    },
  });
  return unclear ? [] : read.filter((name) => !tested.has(name));
}
