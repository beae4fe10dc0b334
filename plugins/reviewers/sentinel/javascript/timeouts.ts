import type { CallExpression } from 'acorn';
import { mayHave, type Objection, optionsOf, type Rule, type Site } from './rule.ts';

const methods = /^(?:get|post|put|patch|delete|head|options|request|create|default)$/;

/** A request may wait for ever. */
export const timeouts: Rule = (site) => {
  const { node, owners, module } = site;
  if (node.type !== 'CallExpression') return null;
  const called = module.callee(node.callee, owners);
  if (called === null) return null;
  if (called.name === 'fetch' ? called.from === null || called.from === 'undici' : called.from === 'node-fetch')
    return fetching(node, site);
  if (called.from === 'axios' && methods.test(called.name)) return asking(node, called.name, site);
  if (called.from === 'got' && methods.test(called.name)) return limited(node, 1, 'got');
  if ((called.from === 'http' || called.from === 'https') && /^(?:get|request)$/.test(called.name))
    return requesting(node, site);
  return null;
};

function fetching(node: CallExpression, { module }: Site): Objection | null {
  const [address] = node.arguments;
  // A page asks its own server; browsers end such requests when the page is left.
  if (address === undefined || /^['"`]\//.test(module.text(address))) return null;
  const options = optionsOf(node, 1);
  if (options === 'unknown' || (options !== 'none' && mayHave(options, /^(?:signal|timeout|dispatcher)$/))) return null;
  return missing('fetch', 'pass signal: AbortSignal.timeout(…)');
}

function asking(node: CallExpression, method: string, { module }: Site): Objection | null {
  if (/\.defaults\.timeout\s*=/.test(module.code)) return null;
  // `post`, `put` and `patch` take what to send before the options.
  const from = /^(?:post|put|patch)$/.test(method) ? 2 : /^(?:default|request|create)$/.test(method) ? 0 : 1;
  return limited(node, from, `axios.${method}`);
}

function limited(node: CallExpression, from: number, what: string): Objection | null {
  const options = optionsOf(node, from);
  if (options === 'unknown' || (options !== 'none' && mayHave(options, /^(?:signal|timeout)$/))) return null;
  return missing(what, 'pass timeout');
}

function requesting(node: CallExpression, { owners, module }: Site): Objection | null {
  const options = node.arguments.find(({ type }) => type === 'ObjectExpression');
  if (options?.type === 'ObjectExpression' && mayHave(options, /^(?:signal|timeout)$/)) return null;
  const around = owners[0] === undefined ? '' : module.text(owners[0]);
  if (/\.setTimeout\(|['"]timeout['"]|\bsignal\b|\btimeout\b/.test(around)) return null;
  // A name after the address may be options; after options, or if it says so, it is who gets the answer.
  const others = node.arguments.slice(1).filter(({ type }) => type === 'Identifier');
  const mayBeOptions = others.some((name) => !/^(?:cb|callback|done|on[A-Z]\w*|handler)$/.test(module.text(name)));
  if (options === undefined && mayBeOptions) return null;
  return missing(module.text(node.callee), 'pass timeout and end the request when it passes');
}

function missing(what: string, cure: string): Objection {
  return { check: 'timeouts', weight: 'ADVISORY', says: `${what} has no time limit; ${cure}` };
}
