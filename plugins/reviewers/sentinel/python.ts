import type { Concern } from '../concern.ts';
import type { TextFile } from '../workspace/files.ts';
import { Lines } from '../workspace/lines.ts';
import { type Call, callsIn, type Masked, mask } from '../workspace/mask.ts';
import { isTest } from '../workspace/paths.ts';

type Told = Pick<Concern, 'check' | 'weight' | 'says'>;

const outside =
  /\brequest\.(?:args|form|values|json|data|files|GET|POST|headers|cookies|get_json|query_params|path_params|query_string|params)\b/;
/** Whoever starts a command may name any file, but code and commands of it are as bad as anybody's. */
const typed = /\bsys\.argv\b|(?<![\w.])input\(/;
const sql =
  /\b(?:select\b[\s\S]{1,400}\bfrom|insert\s+into|update\b[\s\S]{1,200}\bset|delete\s+from|drop\s+table|alter\s+table)\b/i;
const fixed = /^(?:[rbu]{0,2}(?:"""[\s\S]*"""|'''[\s\S]*'''|"[^"\n]*"|'[^'\n]*')\s*)+$/i;

/** What a Python file says about the names in it. */
class Names {
  readonly #values = new Map<string, string>();

  constructor({ code }: Masked) {
    const assignment = /^[ \t]*(\w+)(?:[ \t]*:[^=\n]{1,60})?[ \t]*=(?!=)[ \t]*([^\n]{1,500}(?:\n[ \t]+["'f][^\n]*)*)/gm;
    for (const [, name = '', value = ''] of code.matchAll(assignment)) this.#values.set(name, value.trim());
  }

  /** An expression; a single name is followed to what it was last given. */
  resolve(text: string): string {
    return /^\w+$/.test(text) ? (this.#values.get(text) ?? text) : text;
  }

  /** Whether an expression holds what comes in requests. */
  isOutside(text: string): boolean {
    return this.#isFrom(outside, text);
  }

  /** Whether it holds what somebody typed. */
  isTyped(text: string): boolean {
    return this.#isFrom(typed, text);
  }

  #isFrom(source: RegExp, text: string): boolean {
    const names = text.matchAll(/(?<![\w."'])([a-z_]\w*)(?![\w(])/g);
    return source.test(text) || [...names].some(([, name = '']) => source.test(this.#values.get(name) ?? ''));
  }
}

/** Whether text is put together from parts that are not all written there. Names in capitals are constants. */
function isComposed(text: string): boolean {
  const holes = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, hole = '']) => hole.trim());
  const isFormatted =
    /(?<!\w)r?f["']/i.test(text) && holes.some((hole) => !/^[A-Z][A-Z0-9_]*$|placeholders|marks/.test(hole));
  return isFormatted || /["']\s*%\s*[\w(]|["']\s*\.format\(|["']\s*\+\s*[a-z_]|[\w)\]]\s*\+\s*["']/.test(text);
}

/** What is wrong with certain calls; `needs` must be in the file for them to be meant. */
interface Rule {
  readonly calls: RegExp;
  readonly needs?: RegExp;
  readonly judge: (call: Call, names: Names) => Told | null;
}

const rules: readonly Rule[] = [
  {
    calls: /\bsubprocess\.(?:run|call|Popen|check_output|check_call|getoutput)|(?<![\w.])os\.(?:system|popen)/,
    judge: ({ name, args }, names) => {
      const isShell = name.startsWith('os.') || args.some((arg) => /^shell\s*=\s*True$/.test(arg));
      const text = names.resolve(args[0] ?? '');
      if (
        !isShell ||
        fixed.test(text) ||
        /shlex\.(?:quote|join)/.test(text) ||
        (/^\w+$/.test(text) && text === text.toUpperCase())
      )
        return null;
      // Whoever hands on a whole command is a runner of commands; whoever puts one together is not.
      const isHandedOn = /^[\w.]+$/.test(text) && !names.isOutside(text) && !names.isTyped(text);
      return {
        check: 'command injection',
        weight: isHandedOn ? 'ADVISORY' : 'FAIL',
        says: `${name} runs a shell on a text that is not fixed; pass a list`,
      };
    },
  },
  {
    calls: /(?<![\w.])(?:eval|exec)/,
    judge: ({ name, args }, names) => {
      const text = args[0] ?? '';
      if (text === '' || fixed.test(names.resolve(text))) return null;
      const weight = names.isOutside(text) || names.isTyped(text) ? 'FAIL' : 'ADVISORY';
      return { check: 'code injection', weight, says: `${name} makes code of a text that is not fixed` };
    },
  },
  {
    calls: /\.(?:execute|executemany|executescript|raw|query|text)/,
    judge: ({ args }, names) => {
      const text = names.resolve(args[0] ?? '');
      if (!sql.test(text) || !isComposed(text)) return null;
      return {
        check: 'SQL injection',
        weight: 'FAIL',
        says: 'a query is put together with values; pass them as parameters',
      };
    },
  },
  {
    calls:
      /(?<![\w.])(?:open|os\.path\.join|send_file|FileResponse|Path|pathlib\.Path|os\.(?:remove|unlink|listdir)|shutil\.\w+)/,
    judge: ({ name, args }, names) => {
      const text = args.join(', ');
      if (!names.isOutside(text) || /secure_filename|basename/.test(text + names.resolve(args.at(-1) ?? '')))
        return null;
      return {
        check: 'path traversal',
        weight: 'FAIL',
        says: `${name} takes a path from outside that may lead anywhere`,
      };
    },
  },
  {
    calls: /(?<![\w.])yaml\.(?:load|load_all|unsafe_load|full_load)/,
    needs: /^[ \t]*import[^\n]*\byaml\b/m,
    judge: ({ name, args }) => {
      if (/^yaml\.load(?:_all)?$/.test(name) && args.some((arg) => /(?:Safe|CSafe|Base)Loader/.test(arg))) return null;
      return {
        check: 'unsafe loading',
        weight: 'FAIL',
        says: `${name} makes any object it is told to; use yaml.safe_load`,
      };
    },
  },
  {
    calls: /(?<![\w.])(?:pickle|marshal|dill)\.loads?/,
    judge: ({ name, args }, names) =>
      names.isOutside(args.join())
        ? { check: 'unsafe loading', weight: 'FAIL', says: `${name} runs what comes from outside` }
        : null,
  },
  {
    calls: /(?<![\w.])(?:render_template_string|Markup|mark_safe|HTMLResponse)/,
    judge: ({ name, args }, names) =>
      isComposed(names.resolve(args[0] ?? '')) || names.isOutside(args[0] ?? '')
        ? { check: 'cross-site scripting', weight: 'FAIL', says: `${name} is given markup with values in it` }
        : null,
  },
  {
    calls: /(?<![\w.])jwt\.(?:encode|decode)/,
    judge: ({ args }, names) => {
      const secret = names.resolve(args[1]?.replace(/^key\s*=\s*/, '') ?? '');
      return fixed.test(secret)
        ? { check: 'secrets', weight: 'FAIL', says: 'the secret of JSON web tokens is written in the code' }
        : null;
    },
  },
  {
    calls:
      /(?<![\w.])requests\.(?:get|post|put|patch|delete|head|options|request)|(?<![\w.])(?:urllib\.request\.)?urlopen|(?<![\w.])httpx\.(?:get|post|put|patch|delete|head|request|Client|AsyncClient)/,
    judge: ({ name, args }) => {
      const limit = args.find((arg) => /^timeout\s*=|^\*\*/.test(arg));
      const isLimited = name.startsWith('httpx')
        ? limit === undefined || !/=\s*None$/.test(limit)
        : limit !== undefined && !/=\s*None$/.test(limit);
      if (isLimited || (name.endsWith('urlopen') && args.length >= 3)) return null;
      return { check: 'timeouts', weight: 'ADVISORY', says: `${name} has no time limit; pass timeout` };
    },
  },
  {
    calls: /(?<![\w.])(?:requests|httpx)\.\w+/,
    judge: ({ args }) =>
      args.some((arg) => /^verify\s*=\s*False$/.test(arg))
        ? { check: 'certificates', weight: 'FAIL', says: 'verify=False trusts anybody' }
        : null,
  },
];

/** What is wrong in a Python file, as far as calls tell it. Tests are let be. */
export function pythonIn({ path, text }: TextFile): Concern[] {
  if (isTest(path)) return [];
  const masked = mask(text, 'python');
  const names = new Names(masked);
  const lines = new Lines(text);
  const meant = rules.filter(({ needs }) => needs === undefined || needs.test(masked.code));
  return meant.flatMap(({ calls, judge }) =>
    [...callsIn(masked, calls)].flatMap((call) => {
      const told = judge(call, names);
      return told === null ? [] : [{ ...told, file: path, line: lines.at(call.offset) }];
    }),
  );
}
