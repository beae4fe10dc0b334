import type { AnyNode, CallExpression, MemberExpression, Node } from 'acorn';
import type { Parsed } from '../../workspace/parse.ts';
import type { Scopes } from './scopes.ts';

/** Where a value comes from, from harmless to harmful. */
const origins = ['constant', 'unknown', 'parameter', 'input'] as const;
/** See the table. */
export type Origin = (typeof origins)[number];

const input =
  /^(?:(?:req|request|ctx|c|context|event)\??\.(?:(?:req|request)\??\.)?(?:query|params?|body|headers?|cookies|url|originalUrl|path|files?|queryStringParameters|pathParameters|json|text|formData)\b|process\.argv\b|(?:window\.|document\.)?location\??\.(?:search|hash|href|pathname)\b|(?:e|ev|event)\.(?:currentT|t)arget\.value\b)/;
const harmless =
  /^(?:__dirname|__filename|import\.meta\b|process\.(?:execPath|pid|platform|cwd|env|version)|undefined$|os\.)/;
/** Calls that give back what they are given, more or less. */
const through =
  /(?:^|\.)(?:trim|toString|toLowerCase|toUpperCase|slice|substring|split|concat|join|resolve|normalize|String|decodeURIComponent|at|pop|shift|get|parse|json|text|from|raw)$/;
const numbers =
  /^(?:Number(?:\.\w+)?|parseInt|parseFloat|BigInt|Boolean|Math\.\w+|Date\.now|randomUUID|crypto\.randomUUID)$/;

/** Names whose origin the place they stand in tells. */
type Known = ReadonlyMap<string, Origin>;
const none: Known = new Map();

type Inner = (node: Node, known?: Known) => Origin;

/** Tells where values come from. `cleaned` names functions whose result is harmless for whoever asks. */
export class Origins {
  readonly #parsed: Parsed;
  readonly #scopes: Scopes;

  constructor(parsed: Parsed, scopes: Scopes) {
    this.#parsed = parsed;
    this.#scopes = scopes;
  }

  /** The origin of an expression in these functions. */
  of(node: Node, owners: readonly AnyNode[], cleaned: RegExp, known: Known = none, depth = 0): Origin {
    if (depth > 12) return 'unknown';
    const inner = (part: Node | null | undefined, names = known) =>
      part ? this.of(part, owners, cleaned, names, depth + 1) : 'constant';
    const expression = node as AnyNode;
    switch (expression.type) {
      case 'Literal':
      case 'UpdateExpression':
      case 'UnaryExpression':
        return 'constant';
      case 'TemplateLiteral':
        return worst(expression.expressions.map((part) => inner(part)));
      case 'BinaryExpression':
        return expression.operator === '+' ? worst([inner(expression.left), inner(expression.right)]) : 'constant';
      case 'ConditionalExpression':
        return worst([inner(expression.consequent), inner(expression.alternate)]);
      case 'LogicalExpression':
        return worst([inner(expression.left), inner(expression.right)]);
      case 'AwaitExpression':
      case 'SpreadElement':
        return inner(expression.argument);
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return inner(expression.expression);
      case 'ArrayExpression':
        return worst(expression.elements.map((part) => inner(part)));
      case 'ObjectExpression':
        return worst(expression.properties.map((part) => inner(part.type === 'Property' ? part.value : part.argument)));
      case 'NewExpression':
        return worst(['unknown', ...expression.arguments.map((part) => inner(part))]);
      case 'CallExpression':
        return this.#call(expression, inner, cleaned);
      case 'MemberExpression':
        return this.#member(expression, inner);
      case 'Identifier':
        return known.get(expression.name) ?? this.#name(expression.name, owners, cleaned, depth);
      default:
        return 'unknown';
    }
  }

  #call({ callee, arguments: args }: CallExpression, inner: Inner, cleaned: RegExp): Origin {
    const name = this.#text(callee).replace(/\s+|\?/g, '');
    if (numbers.test(name) || cleaned.test(name)) return 'constant';
    if (input.test(name)) return 'input';
    const mapped = callee.type === 'MemberExpression' ? this.#mapped(callee, inner) : null;
    if (mapped !== null) return mapped;
    if (!through.test(name)) return 'unknown';
    const object = callee.type === 'MemberExpression' ? callee.object : null;
    // `path` in `path.join(…)` is a module, not a value that goes through.
    const isModule = object?.type === 'Identifier' && /^(?:path|posix|JSON|Buffer|url|qs|Array)$/.test(object.name);
    return worst([...(object === null || isModule ? [] : [inner(object)]), ...args.map((part) => inner(part))]);
  }

  /** `ids.map(() => '?').join()` is as harmless as what the function gives. */
  #mapped({ object, property }: MemberExpression, inner: Inner): Origin | null {
    if (property.type !== 'Identifier' || property.name !== 'join' || object.type !== 'CallExpression') return null;
    const way = /\.(map|fill|from)$/.exec(this.#text(object.callee))?.[1];
    const mapper = way === 'from' ? (object.arguments[1] ?? object.arguments[0]) : object.arguments[0];
    if (way === undefined || mapper === undefined) return null;
    if (mapper.type !== 'ArrowFunctionExpression' || !mapper.expression) return inner(mapper);
    const [element, index] = mapper.params.map((part) => (part.type === 'Identifier' ? part.name : ''));
    const list = object.callee.type === 'MemberExpression' && way === 'map' ? object.callee.object : null;
    const known = new Map<string, Origin>([
      [element ?? '', list === null ? 'unknown' : inner(list)],
      [index ?? '', 'constant'],
    ]);
    return inner(mapper.body, known);
  }

  #member(node: MemberExpression, inner: Inner): Origin {
    const text = this.#text(node);
    if (input.test(text)) return 'input';
    if (harmless.test(text) || /\.(?:length|size)$/.test(text)) return 'constant';
    return inner(node.object);
  }

  #name(name: string, owners: readonly AnyNode[], cleaned: RegExp, depth: number): Origin {
    const binding = this.#scopes.find(name, owners);
    if (binding === undefined) return harmless.test(name) || isConstantName(name) ? 'constant' : 'unknown';
    if (binding.kind === 'import') return isConstantName(name) ? 'constant' : 'unknown';
    if (binding.kind === 'parameter') {
      if (binding.isSent) return 'input';
      return this.#isClosed(binding.node) ? 'constant' : 'parameter';
    }
    return this.of(binding.init, owners, cleaned, none, depth + 1);
  }

  /** Whether the type written after a parameter leaves no room for harm: numbers, a few texts. */
  #isClosed({ end }: Node): boolean {
    const { written } = this.#parsed;
    return (
      written !== null &&
      /^\s*\??\s*:\s*(?:number|boolean|bigint|(?:\|?\s*'[^']*'\s*)+)\s*[,)=]/.test(written.slice(end, end + 300))
    );
  }

  #text({ start, end }: Node): string {
    return this.#parsed.code.slice(start, end);
  }
}

function isConstantName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name);
}

function worst(found: readonly Origin[]): Origin {
  return origins[Math.max(0, ...found.map((origin) => origins.indexOf(origin)))] ?? 'constant';
}
