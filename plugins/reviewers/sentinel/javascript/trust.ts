import type { AnyNode } from 'acorn';
import { mayHave, type Objection, type Rule, resolved } from './rule.ts';

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
  if (node.type === 'AssignmentExpression') return forAll(module.text(node.left), module.text(node.right));
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return null;
  const isOff = node.arguments.some(
    (part) =>
      part.type === 'ObjectExpression' &&
      mayHave(part, /^rejectUnauthorized$/) &&
      /rejectUnauthorized['"]?\s*:\s*false/.test(module.text(part)),
  );
  return isOff ? { check: 'certificates', weight: 'FAIL', says: 'rejectUnauthorized: false trusts anybody' } : null;
};

function forAll(left: string, right: string): Objection | null {
  const isOff = /^process\.env(?:\.|\[['"])NODE_TLS_REJECT_UNAUTHORIZED/.test(left) && /^['"]?0['"]?$/.test(right);
  return isOff
    ? {
        check: 'certificates',
        weight: 'FAIL',
        says: 'NODE_TLS_REJECT_UNAUTHORIZED=0 makes the whole process trust anybody',
      }
    : null;
}
