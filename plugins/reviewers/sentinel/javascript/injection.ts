import type { AnyNode, Node } from 'acorn';
import { isComposed, mayHave, optionsOf, type Rule, type Site, weightOf, wordsFor } from './rule.ts';

const quoting = /(?:^|\.)(?:quote|shellQuote|shellEscape|escapeShell\w*|shellescape)$/;
const htmlSafe = /(?:sanitize|escape|encode|purify)\w*$/i;
const sqlSafe = /(?:^|\.)(?:escape|escapeId|escapeIdentifier|escapeLiteral|quoteIdent\w*|identifier|ident|literal)$/;
const sql =
  /^\W{0,20}(?:select\b[\s\S]{1,400}\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\b[\s\S]{1,200}\bset\b|delete\s+from\b|drop\s+(?:table|database)\b|alter\s+table\b|replace\s+into\b)/i;

/** A shell is given a command with values in it. */
export const command: Rule = ({ node, owners, module }) => {
  if (node.type !== 'CallExpression') return null;
  const called = module.callee(node.callee, owners);
  const [text] = node.arguments;
  if (called?.from !== 'child_process' || text === undefined) return null;
  const options = /^(?:spawn|execFile)(?:Sync)?$/.test(called.name) ? optionsOf(node, 1) : null;
  const hasShell =
    typeof options === 'object' && options !== null && /\bshell\s*:\s*(?!false)/.test(module.text(options));
  if (!/^exec(?:Sync)?$/.test(called.name) && !hasShell) return null;
  const origin = module.origin(text, owners, quoting);
  const weight = weightOf(origin);
  // Whoever hands on a whole command is a runner of commands; whoever puts one together is not.
  if (weight === null || (!isPutTogether(text, { node, owners, module }) && origin !== 'input')) return null;
  return {
    check: 'command injection',
    weight,
    says: `${called.name} runs a shell on ${wordsFor(origin)}; use execFile with a list of arguments`,
  };
};

/** Text becomes code. */
export const evaluation: Rule = ({ node, owners, module }) => {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return null;
  const called = module.callee(node.callee, owners);
  const isEval = called?.from === null && (called.name === 'eval' || called.name === 'Function');
  const isVm = called?.from === 'vm' && /^(?:runIn\w+|Script|compileFunction)$/.test(called.name);
  if (!isEval && !isVm) return null;
  const found = node.arguments.map((argument) => module.origin(argument, owners));
  const origin = found.includes('input') ? 'input' : (found.find((one) => one !== 'constant') ?? 'constant');
  // Who calls `vm` or `Function` means to run code; only where it comes from can be wrong.
  const weight = called.name === 'eval' || origin === 'input' ? weightOf(origin) : weightOf(origin) && 'ADVISORY';
  return weight && { check: 'code injection', weight, says: `${called.name} makes code of ${wordsFor(origin)}` };
};

/** A query is put together with values in it. Tagged templates quote what they are given. */
export const query: Rule = (site) => {
  const { node, owners, module } = site;
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return null;
  const text = node.arguments[0] && resolved(node.arguments[0], site);
  if (!text || !isComposed(text) || !sql.test(module.text(text).replace(/^[`'"(\s]+/, ''))) return null;
  const origin = module.origin(text, owners, sqlSafe);
  const weight = weightOf(origin);
  return weight && { check: 'SQL injection', weight, says: `a query holds ${wordsFor(origin)}; bind it instead` };
};

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

/** A literal secret signs or checks tokens. */
export const signing: Rule = (site) => {
  const { node, module } = site;
  if (node.type !== 'CallExpression' || !/^(?:jwt|jsonwebtoken)\.(?:sign|verify)$/.test(module.text(node.callee)))
    return null;
  const secret = node.arguments[1] && (resolved(node.arguments[1], site) as AnyNode);
  if (secret?.type !== 'Literal' || typeof secret.value !== 'string' || secret.value.startsWith('-----BEGIN PUBLIC'))
    return null;
  return { check: 'secrets', weight: 'FAIL', says: 'the secret of JSON web tokens is written in the code' };
};

/** Certificates are not checked. */
export const certificates: Rule = ({ node, module }) => {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return null;
  const isOff = node.arguments.some(
    (part) =>
      part.type === 'ObjectExpression' &&
      mayHave(part, /^rejectUnauthorized$/) &&
      /rejectUnauthorized['"]?\s*:\s*false/.test(module.text(part)),
  );
  return isOff ? { check: 'certificates', weight: 'FAIL', says: 'rejectUnauthorized: false trusts anybody' } : null;
};

function isPutTogether(node: Node, site: Site): boolean {
  return isComposed(resolved(node, site));
}

/** A name that was given its value once, followed to that value. */
function resolved(node: Node, { module, owners }: Site): Node {
  const expression = node as AnyNode;
  return expression.type === 'Identifier' ? (module.valueOf(expression.name, owners) ?? node) : node;
}
