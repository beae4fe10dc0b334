import { type Rule, weightOf, wordsFor } from './rule.ts';

/** What functions of a library do with a text, and where the text must not come from. */
interface Library {
  readonly functions: RegExp;
  readonly check: string;
  readonly says: string;
  /** Whether only what certainly comes from outside counts: whoever makes templates hands them around. */
  readonly onlyInput: boolean;
}

const template = { check: 'template injection', says: 'makes a template, which is code, of', onlyInput: true };
const loading = { check: 'unsafe loading', says: 'makes any object it is told to, of', onlyInput: false };

const libraries: Readonly<Record<string, Library>> = {
  handlebars: { functions: /^(?:pre)?compile$/, ...template },
  ejs: { functions: /^(?:render|compile)$/, ...template },
  pug: { functions: /^(?:render|compile)$/, ...template },
  nunjucks: { functions: /^(?:renderString|compile)$/, ...template },
  eta: { functions: /^(?:renderString|compile)\w*$/, ...template },
  dot: { functions: /^(?:template|compile)$/, ...template },
  lodash: { functions: /^template$/, ...template },
  'node-serialize': { functions: /^unserialize$/, ...loading },
  'serialize-to-js': { functions: /^deserialize\w*$/, ...loading },
  funcster: { functions: /^deepDeserialize$/, ...loading },
};

/** A library is given a text that it makes more of than text. */
export const library: Rule = ({ node, owners, module }) => {
  if (node.type !== 'CallExpression') return null;
  const called = module.callee(node.callee, owners);
  const known = called?.from === undefined || called.from === null ? undefined : libraries[called.from];
  const [text] = node.arguments;
  if (called === null || known === undefined || text === undefined || !known.functions.test(called.name)) return null;
  const origin = module.origin(text, owners);
  const weight = known.onlyInput && origin !== 'input' ? null : weightOf(origin);
  return weight && { check: known.check, weight, says: `${called.name} ${known.says} ${wordsFor(origin)}` };
};
