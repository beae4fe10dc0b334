import type { Workspace } from '../workspace/files.ts';
import { Lines } from '../workspace/lines.ts';
import { isTest } from '../workspace/paths.ts';
import { wordsOf } from './words.ts';

/** A test that somebody wrote. */
export interface TestCase {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Whether it is written so that it does not run. */
  readonly skipped: boolean;
  readonly words: ReadonlySet<string>;
  /** Words of name and body. */
  readonly allWords: ReadonlySet<string>;
}

/** How a language writes a test: `name` is what it is called, `skip` (if any) says that it does not run. */
const forms: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\.[cm]?[jt]sx?$/,
    /(?<![\w.])(?<skip>x(?=it|test|describe))?(?:it|test|describe|Deno\.test)(?:\.(?:(?<off>skip|todo)|\w+(?:\([^()]*\))?))*\s*\(\s*(?<quote>['"`])(?<name>(?:\\.|(?!\k<quote>)[^\\]){1,300})\k<quote>/g,
  ],
  [
    /\.py$/,
    /^[ \t]*(?<skip>@(?:pytest\.mark\.(?:skip|xfail)\b|unittest\.skip)[^\n]*\n[ \t]*)?(?:async\s+)?def\s+(?<name>test\w*)/gm,
  ],
  [/_test\.go$/, /^func\s+(?<name>Test\w+)|\bt\.Run\(\s*"(?<run>[^"\n]{1,300})"/gm],
  [
    /\.rs$/,
    /#\[(?:\w+::)*test\](?<skip>\s*#\[ignore[^\]]*\])?(?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(?<name>\w+)/g,
  ],
  [
    /\.(?:java|kt)$/,
    /(?<skip>@Disabled[^\n]*\s+)?@Test[^\n]*\s+(?:(?:public|void|fun|suspend)\s+)*`?(?<name>[\w ]+)`?\s*\(/g,
  ],
  [/_(?:spec|test)\.rb$/, /^\s*(?<skip>x(?=it))?(?:it|test)\s+(?<quote>['"])(?<name>[^'"\n]{1,300})\k<quote>/gm],
];

/** Every test of a workspace, as far as the files tell it. */
export async function casesOf(workspace: Workspace): Promise<TestCase[]> {
  const cases: TestCase[] = [];
  for await (const { path, text } of workspace.texts((one) => isTest(one) || one.endsWith('.rs'))) {
    const form = forms.find(([ending]) => ending.test(path))?.[1];
    if (form !== undefined) cases.push(...casesIn(path, text, form));
  }
  return cases;
}

function casesIn(path: string, text: string, form: RegExp): TestCase[] {
  const lines = new Lines(text);
  const found = [...text.matchAll(form)];
  return found.map((match, at) => {
    const { name = match.groups?.['run'] ?? '', skip, off } = match.groups ?? {};
    const body = text.slice(match.index, Math.min(found[at + 1]?.index ?? text.length, match.index + 4000));
    return {
      name,
      file: path,
      line: lines.at(match.index + match[0].length - 1),
      skipped: skip !== undefined || off !== undefined || /\bt\.Skip(?:Now|f)?\(/.test(body),
      words: wordsOf(name),
      allWords: wordsOf(body),
    };
  });
}
