import type { AssignmentExpression, CallExpression, Node } from 'acorn';
import type { Module } from './module.ts';
import { isComposed, type Objection, optionsOf, type Rule, resolved, type Site, weightOf, wordsFor } from './rule.ts';

const shells = /^['"`](?:\/(?:usr\/)?bin\/)?(?:(?:ba|da|k|z)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh)['"`]$/;
const quoting = /(?:^|\.)(?:quote|shellQuote|shellEscape|escapeShell\w*|shellescape)$/;
const sqlSafe = /(?:^|\.)(?:escape|escapeId|escapeIdentifier|escapeLiteral|quoteIdent\w*|identifier|ident|literal)$/;
const sql =
  /^\W{0,20}(?:select\b[\s\S]{1,400}\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\b[\s\S]{1,200}\bset\b|delete\s+from\b|drop\s+(?:table|database)\b|alter\s+table\b|replace\s+into\b)/i;

/** A shell is given a command with values in it. */
export const command: Rule = ({ node, owners, module }) => {
  if (node.type !== 'CallExpression') return null;
  const called = module.callee(node.callee, owners);
  const [program] = node.arguments;
  if (called?.from !== 'child_process' || program === undefined) return null;
  const isProgram = /^(?:spawn|execFile)(?:Sync)?$/.test(called.name);
  const options = isProgram ? optionsOf(node, 1) : null;
  const hasShell =
    typeof options === 'object' && options !== null && /\bshell\s*:\s*(?!false)/.test(module.text(options));
  const text = isProgram && !hasShell ? scriptOf(node, module) : program;
  if (text === null || (!isProgram && !/^exec(?:Sync)?$/.test(called.name))) return null;
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

/** What a program that is a shell is told to do: the argument after `-c`. */
function scriptOf({ arguments: [program, args] }: CallExpression, module: Module): Node | null {
  if (program === undefined || !shells.test(module.text(program)) || args?.type !== 'ArrayExpression') return null;
  const at = args.elements.findIndex(
    (part) => part !== null && /^['"`](?:-\w*c|\/c|-Command)['"`]$/.test(module.text(part)),
  );
  return at === -1 ? null : (args.elements[at + 1] ?? null);
}

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
  if (node.type === 'AssignmentExpression') return growing(node, site);
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return null;
  const text = node.arguments[0] && resolved(node.arguments[0], site);
  if (!text || !isComposed(text) || !isQuery(text, module)) return null;
  const origin = module.origin(text, owners, sqlSafe);
  const weight = weightOf(origin);
  return weight && { check: 'SQL injection', weight, says: `a query holds ${wordsFor(origin)}; bind it instead` };
};

/** A query that was begun is added to. What is not known is let be: parts of queries are often kept in lists. */
function growing({ operator, left, right }: AssignmentExpression, site: Site): Objection | null {
  const { owners, module } = site;
  if (operator !== '+=' || left.type !== 'Identifier' || !isQuery(resolved(left, site), module)) return null;
  const origin = module.origin(right, owners, sqlSafe);
  if (origin !== 'input' && origin !== 'parameter') return null;
  return {
    check: 'SQL injection',
    weight: 'FAIL',
    says: `a query is made longer by ${wordsFor(origin)}; bind it instead`,
  };
}

function isQuery(node: Node, module: Module): boolean {
  return sql.test(module.text(node).replace(/^[`'"(\s]+/, ''));
}

function isPutTogether(node: Node, site: Site): boolean {
  return isComposed(resolved(node, site));
}
