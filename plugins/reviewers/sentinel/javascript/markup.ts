import type { AnyNode, Node } from 'acorn';
import { type Rule, weightOf, wordsFor } from './rule.ts';

const htmlSafe = /(?:sanitize|escape|encode|purify)\w*$/i;

/** A page is given text with values in it. */
export const markup: Rule = ({ node, owners, module }) => {
  const value = markupOf(node, module.text.bind(module));
  if (value === null) return null;
  const origin = module.origin(value, owners, htmlSafe);
  const isAnswer = node.type === 'CallExpression' && /\.(?:send|end|write|html)$/.test(module.text(node.callee));
  if (isAnswer && (origin !== 'input' || !/<[a-z!]/i.test(module.text(value)))) return null;
  const weight = weightOf(origin);
  return (
    weight && {
      check: 'cross-site scripting',
      weight,
      says: `markup holds ${wordsFor(origin)}; set text, or escape it`,
    }
  );
};

function markupOf(node: AnyNode, text: (node: Node) => string): Node | null {
  if (node.type === 'AssignmentExpression') return /\.(?:inner|outer)HTML$/.test(text(node.left)) ? node.right : null;
  if (node.type !== 'CallExpression') return null;
  const callee = text(node.callee);
  if (/\.insertAdjacentHTML$/.test(callee)) return node.arguments[1] ?? null;
  return /^document\.write(?:ln)?$|^(?:res|response|reply|c)\.(?:send|end|write|html)$/.test(callee)
    ? (node.arguments[0] ?? null)
    : null;
}
