import type { TextFile, Workspace } from '../workspace/files.ts';
import { Lines } from '../workspace/lines.ts';
import { mask } from '../workspace/mask.ts';
import { isTest } from '../workspace/paths.ts';
import { bodyIn, isHollow } from './hollow.ts';
import { casesInJavaScript } from './javascript-cases.ts';
import type { TestCase } from './test-case.ts';
import { wordsOf } from './words.ts';

/** How a language writes a test: `name` is what it is called, `skip` (if any) says that it does not run. */
interface Form {
  readonly files: RegExp;
  readonly test: RegExp;
  /** How it writes comments and strings; not given: what stands in comments is taken for code. */
  readonly language?: 'python' | 'curly';
}

const forms: readonly Form[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    test: /(?<![\w.])(?<skip>x(?=it|test|describe))?(?:it|test|describe|Deno\.test)(?:\.(?:(?<off>skip|todo)|\w+(?:\([^()]*\))?))*\s*\(\s*(?<quote>['"`])(?<name>(?:\\.|(?!\k<quote>)[^\\]){1,300})\k<quote>/g,
    language: 'curly',
  },
  {
    files: /\.py$/,
    test: /^[ \t]*(?<skip>@(?:pytest\.mark\.(?:skip|xfail)\b|unittest\.skip)[^\n]*\n[ \t]*)?(?:async\s+)?def\s+(?<name>test\w*)/gm,
    language: 'python',
  },
  {
    files: /_test\.go$/,
    test: /^func\s+(?<name>Test\w+)|\bt\.Run\(\s*"(?<run>[^"\n]{1,300})"/gm,
    language: 'curly',
  },
  {
    files: /\.rs$/,
    test: /#\[(?:\w+::)*test\](?<skip>\s*#\[ignore[^\]]*\])?(?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(?<name>\w+)/g,
  },
  {
    files: /\.(?:java|kt)$/,
    test: /(?<skip>@Disabled[^\n]*\s+)?@Test[^\n]*\s+(?:(?:public|void|fun|suspend)\s+)*`?(?<name>[\w ]+)`?\s*\(/g,
    language: 'curly',
  },
  {
    files: /_(?:spec|test)\.rb$/,
    test: /^\s*(?<skip>x(?=it))?(?:it|test)\s+(?<quote>['"])(?<name>[^'"\n]{1,300})\k<quote>/gm,
  },
];

/** Every test of a workspace, as far as the files tell it. */
export async function casesOf(workspace: Workspace): Promise<TestCase[]> {
  const cases: TestCase[] = [];
  for await (const file of workspace.texts((one) => isTest(one) || one.endsWith('.rs'))) {
    const form = forms.find(({ files }) => files.test(file.path));
    if (form !== undefined) cases.push(...(casesInJavaScript(file) ?? casesIn(file, form)));
  }
  return cases;
}

function casesIn({ path, text }: TextFile, { test, language }: Form): TestCase[] {
  const lines = new Lines(text);
  const code = language === undefined ? text : mask(text, language).code;
  const found = [...code.matchAll(test)];
  return found.map((match, at) => {
    const { name = match.groups?.['run'] ?? '', skip, off } = match.groups ?? {};
    const body = code.slice(match.index, Math.min(found[at + 1]?.index ?? code.length, match.index + 4000));
    const isSkipped = skip !== undefined || off !== undefined || /\bt\.Skip(?:Now|f)?\(/.test(body);
    return {
      name,
      file: path,
      line: lines.at(match.index + match[0].length - 1),
      flaw: isSkipped ? 'it is skipped' : isHollow(bodyIn(path, body)) ? 'it does nothing' : null,
      words: wordsOf(name),
      allWords: wordsOf(body),
    };
  });
}
