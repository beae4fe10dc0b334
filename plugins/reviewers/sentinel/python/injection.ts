import { type CallRule, fixed, isComposed, type LineRule } from './rule.ts';

const sql =
  /\b(?:select\b[\s\S]{1,400}\bfrom|insert\s+into|update\b[\s\S]{1,200}\bset|delete\s+from|drop\s+table|alter\s+table)\b/i;
const escaped = /(?:escape|bleach\.clean|sanitize\w*)\(/;

/** Text of others that becomes a command, code, a query, a template or a page. */
export const injectionCalls: readonly CallRule[] = [
  {
    calls: /\bsubprocess\.(?:run|call|Popen|check_output|check_call|getoutput)|(?<![\w.])os\.(?:system|popen)/,
    judge: ({ name, args, offset }, names) => {
      const script = scriptIn(args[0] ?? '');
      const isShell = script !== null || name.startsWith('os.') || args.some((arg) => /^shell\s*=\s*True$/.test(arg));
      const text = names.resolve(script ?? args[0] ?? '', offset);
      if (!isShell || fixed.test(text) || /shlex\.(?:quote|join)/.test(text) || isConstant(text)) return null;
      // Whoever hands on a whole command is a runner of commands; whoever puts one together is not.
      const isHandedOn = /^[\w.]+$/.test(text) && !names.isOutside(text, offset) && !names.isTyped(text, offset);
      return {
        check: 'command injection',
        weight: isHandedOn ? 'ADVISORY' : 'FAIL',
        says: `${name} runs a shell on a text that is not fixed; pass a list`,
      };
    },
  },
  {
    calls: /(?<![\w.])(?:eval|exec)/,
    judge: ({ name, args, offset }, names) => {
      const text = args[0] ?? '';
      if (text === '' || fixed.test(names.resolve(text, offset))) return null;
      const weight = names.isOutside(text, offset) || names.isTyped(text, offset) ? 'FAIL' : 'ADVISORY';
      return { check: 'code injection', weight, says: `${name} makes code of a text that is not fixed` };
    },
  },
  {
    calls: /\.(?:execute|executemany|executescript|raw|query|text)/,
    judge: ({ args, offset }, names) => {
      const inner = /^(?:\w+\.)?text\(([\s\S]*)\)$/.exec(args[0] ?? '')?.[1] ?? args[0] ?? '';
      const text = names.resolve(inner, offset);
      if (!sql.test(text) || !isComposed(text)) return null;
      const says = 'a query is put together with values; pass them as parameters';
      return { check: 'SQL injection', weight: 'FAIL', says };
    },
  },
  {
    calls: /(?<![\w.])(?:render_template_string|Markup|mark_safe|HTMLResponse)/,
    judge: ({ name, args: [markup = ''], offset }, names) =>
      isComposed(names.resolve(markup, offset)) || names.isOutside(markup, offset)
        ? { check: 'cross-site scripting', weight: 'FAIL', says: `${name} is given markup with values in it` }
        : null,
  },
  {
    calls: /\.from_string|(?<![\w.])(?:jinja2\.)?Template/,
    needs: /\bjinja2\b/,
    judge: ({ name, args: [template = ''], offset }, names) =>
      names.isOutside(template, offset)
        ? {
            check: 'template injection',
            weight: 'FAIL',
            says: `${name} makes a template, which is code, of what comes from outside`,
          }
        : null,
  },
];

/** Pages that are put together by hand. */
export const injectionLines: readonly LineRule[] = [
  {
    lines: /^[ \t]*return[ \t]+(?<page>(?!\w+[.(])[^\n]{1,500})/gm,
    needs: /\b(?:flask|fastapi|starlette|django|bottle|sanic)\b/,
    judge: ({ groups, index }, names) => {
      const page = names.resolve((groups?.['page'] ?? '').trim(), index);
      if (!/<[a-z!]/i.test(page) || !isComposed(page) || !names.isOutside(page, index) || escaped.test(page))
        return null;
      return { check: 'cross-site scripting', weight: 'FAIL', says: 'a page holds what comes from outside; escape it' };
    },
  },
];

/** What a list tells a shell to do: the text after `-c`; null if it starts no shell. */
function scriptIn(list: string): string | null {
  return (
    /^\[\s*["'](?:\/(?:usr\/)?bin\/)?(?:ba|da|k|z)?sh["']\s*,\s*["']-\w*c["']\s*,\s*([\s\S]+?),?\s*\]$/.exec(
      list,
    )?.[1] ?? null
  );
}

function isConstant(text: string): boolean {
  return /^\w+$/.test(text) && text === text.toUpperCase();
}
