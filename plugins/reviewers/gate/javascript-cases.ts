import type { AnyNode, CallExpression, Node } from 'acorn';
import { ancestor, full } from 'acorn-walk';
import type { TextFile } from '../workspace/files.ts';
import { type Parsed, parse } from '../workspace/parse.ts';
import type { TestCase } from './test-case.ts';
import { wordsOf } from './words.ts';

const tests = /^[xf]?(?:it|test|specify)$/;
const groups = /^[xf]?(?:describe|suite|context)$/;
/** Names that a test needs in order to say something, but that are not what it says something about. */
const instruments = /^(?:assert|expect|ok|equal|strictEqual|deepEqual|should|chai|t|done|undefined|console)$/;

/** The tests of a JavaScript or TypeScript file; null if it is none or cannot be parsed. */
export function casesInJavaScript(file: TextFile): TestCase[] | null {
  const parsed = /\.[cm]?[jt]s$/.test(file.path) ? parse(file.path, file.text) : null;
  if (parsed === null) return null;
  const cases: TestCase[] = [];
  try {
    ancestor(parsed.program, {
      CallExpression: (node, _, ancestors) => {
        const found = caseOf(node, ancestors as AnyNode[], file, parsed);
        if (found !== null) cases.push(found);
      },
    });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return null; // Nested too deeply.
  }
  return cases;
}

function caseOf(node: CallExpression, ancestors: readonly AnyNode[], file: TextFile, parsed: Parsed): TestCase | null {
  const called = calledBy(node);
  const name = called === null ? null : nameOf(node, parsed);
  if (called === null || name === null) return null;
  const isSkipped = [...ancestors, node].some((one) => one.type === 'CallExpression' && isOff(one));
  const flaw = isSkipped ? 'it is skipped' : isHollow(node) ? 'it does nothing' : null;
  const words = wordsOf(name);
  const body = groups.test(called[0] ?? '')
    ? name
    : parsed.code.slice(node.start, Math.min(node.end, node.start + 4000));
  return { name, file: file.path, line: parsed.lineOf(node), flaw, words, allWords: wordsOf(body) };
}

/** What is called, word by word, if that is a test or a group of tests: `it`, `skip`. */
function calledBy({ callee }: CallExpression): string[] | null {
  const words = wordsIn(callee).filter((word) => word !== 'Deno');
  return tests.test(words[0] ?? '') || groups.test(words[0] ?? '') ? words : null;
}

function wordsIn(node: Node): string[] {
  const expression = node as AnyNode;
  switch (expression.type) {
    case 'Identifier':
      return [expression.name];
    case 'MemberExpression':
      return [...wordsIn(expression.object), ...(expression.computed ? [''] : wordsIn(expression.property))];
    case 'CallExpression':
      return wordsIn(expression.callee);
    case 'TaggedTemplateExpression':
      return wordsIn(expression.tag);
    default:
      return [''];
  }
}

function nameOf({ arguments: [name] }: CallExpression, { code }: Parsed): string | null {
  if (name?.type === 'Literal' && typeof name.value === 'string') return name.value;
  return name?.type === 'TemplateLiteral' ? code.slice(name.start + 1, name.end - 1) : null;
}

/** Whether it is written so that it does not run: `it.skip`, `xit`, `{ skip: true }`, no body at all. */
function isOff(node: CallExpression): boolean {
  const words = calledBy(node);
  if (words === null || node.arguments.length === 0) return false;
  if (words.some((word) => word === 'skip' || word === 'todo') || words[0]?.startsWith('x')) return true;
  const [name, ...others] = node.arguments;
  if (name?.type !== 'Literal' && name?.type !== 'TemplateLiteral') return false;
  const isTurnedOff = others.some(
    (part) =>
      part.type === 'ObjectExpression' &&
      part.properties.some(
        (one) =>
          one.type === 'Property' &&
          one.key.type === 'Identifier' &&
          /^(?:skip|todo)$/.test(one.key.name) &&
          one.value.type === 'Literal' &&
          one.value.value !== false,
      ),
  );
  return isTurnedOff || (others.length === 0 && tests.test(words.join('.')));
}

/** Whether its body speaks of nothing that it could be about. */
function isHollow({ arguments: args }: CallExpression): boolean {
  const body = args.find(({ type }) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression');
  if (body?.type !== 'ArrowFunctionExpression' && body?.type !== 'FunctionExpression') return false;
  let isAbout = false;
  full(body.body, (node) => {
    const one = node as AnyNode;
    if (one.type === 'ThisExpression') isAbout = true;
    if (one.type === 'Identifier' && !(instruments.test(one.name) || tests.test(one.name) || groups.test(one.name)))
      isAbout = true;
  });
  return !isAbout;
}
