import type { CriterionResult, ReviewInput } from '../review.ts';
import { textsOf } from '../story.ts';
import type { Workspace } from '../workspace/files.ts';
import { isProse } from '../workspace/paths.ts';
import { failuresIn, type Ran } from './suite.ts';
import type { TestCase } from './test-case.ts';
import { coverage, wordsOf } from './words.ts';

/** What there is to judge criteria by. */
export interface Evidence {
  readonly workspace: Workspace;
  readonly cases: readonly TestCase[];
  readonly ran: readonly Ran[];
  readonly sources: readonly Source[];
  readonly story: ReviewInput['story'];
}

/** A changed file that is no test, with its words. */
export interface Source {
  readonly path: string;
  readonly words: ReadonlySet<string>;
}

type Judgement = Pick<CriterionResult, 'result' | 'evidence'>;

const aboutAllTests =
  /\b(?:all|existing|the|unit|full)\b[^.]{0,40}\b(?:tests?|test suite|suite)\b[^.]{0,30}\b(?:pass|succeed|green)/i;
const aboutText =
  /\b(?:documents?|documented|mentions?|describes?|explains?|exists?|contains?|lists?|shows?|updated?|says?|section)\b/i;
const filler = new RegExp(`${aboutText.source}|\\b(?:flags?|options?)\\b`, 'gi');
const filePath =
  /(?<![\w/.-])(?:[\w.-]+\/)*(?:[\w-][\w.-]*\.(?:mdx?|rst|txt|json|ya?ml|toml|[cm]?[jt]sx?|py|go|rs|html|css|sql|sh)|Dockerfile|Makefile|README|CHANGELOG|LICENSE)(?![\w/])/g;

/**
 * Judges a criterion by what a machine can see: commands that were run, tests whose names and bodies speak of it, files. It
 * passes only where something was run or a file says it; that words agree is no proof, and the evidence tells which they were.
 */
export function judge(criterion: string, evidence: Evidence): CriterionResult {
  const { result, evidence: told } =
    outOfScope(criterion, evidence) ??
    byCommand(criterion, evidence) ??
    byDocument(criterion, evidence) ??
    byTests(criterion, evidence) ??
    byAbsence(criterion, evidence) ??
    byChanges(criterion, evidence);
  return { criterion, result, evidence: told };
}

function outOfScope(criterion: string, { story }: Evidence): Judgement | null {
  const words = wordsOf(criterion);
  const found = textsOf(story, 'out_of_scope').find((text) => coverage(words, wordsOf(text)) >= 0.8);
  return found === undefined ? null : { result: 'PARTIAL', evidence: `the story puts it out of scope: ${found}` };
}

function byCommand(criterion: string, { ran }: Evidence): Judgement | null {
  const named = ran.filter(({ command }) => criterion.includes(`\`${command}\``));
  const about = named.length > 0 ? named : aboutAllTests.test(criterion) ? ran : [];
  if (about.length === 0)
    return aboutAllTests.test(criterion) ? { result: 'PARTIAL', evidence: 'nothing was run' } : null;
  const failed = about.find(({ exit_code }) => exit_code !== 0);
  if (failed === undefined && about.some(({ empty }) => empty))
    return { result: 'PARTIAL', evidence: 'the tests passed, but there were none' };
  return failed === undefined
    ? { result: 'PASS', evidence: about.map(toldOf).join('; ') }
    : { result: 'FAIL', evidence: toldOf(failed) };
}

/** Documents and settings have no tests: what they say is what there is. */
function byDocument(criterion: string, { workspace }: Evidence): Judgement | null {
  const found = filesNamed(criterion, workspace);
  const missing = found.find(({ name, path }) => path === undefined && isProse(name));
  if (missing !== undefined && aboutText.test(criterion))
    return { result: 'FAIL', evidence: `there is no ${missing.name}` };
  const path = found[0]?.path;
  if (
    path === undefined ||
    !(isProse(path) || /\.(?:json|ya?ml|toml|css|html)$|(?:Dockerfile|Makefile|LICENSE)$/.test(path))
  )
    return null;
  const words = wordsOf(criterion.replaceAll(filePath, ' ').replaceAll(filler, ' '));
  const share = words.size === 0 ? 1 : coverage(words, wordsOf(workspace.text(path) ?? ''));
  const isChanged = workspace.changed.size === 0 || workspace.changed.has(path);
  const told = `${path} holds ${percent(share)} of the words of the criterion${isChanged ? '' : ', and this work did not change it'}`;
  if (share < 0.5) return { result: 'FAIL', evidence: told };
  return { result: share >= 0.75 && isChanged ? 'PASS' : 'PARTIAL', evidence: told };
}

/** A file that a program is to write need not be there as long as a test speaks of it. */
function byAbsence(criterion: string, { workspace }: Evidence): Judgement | null {
  const missing = filesNamed(criterion, workspace).find(({ path }) => path === undefined);
  if (missing === undefined || !aboutText.test(criterion)) return null;
  return { result: 'FAIL', evidence: `there is no ${missing.name}` };
}

/** The files that a criterion names; `path` is where they are, if they are. Node.js and its like are none. */
function filesNamed(criterion: string, { paths }: Workspace): { name: string; path: string | undefined }[] {
  const names = [...criterion.matchAll(filePath)]
    .map(([name]) => name)
    .filter((name) => !/^[A-Z][a-z]*\.js$/.test(name));
  return names.map((name) => ({
    name,
    path: paths.find((path) => path === name || path.endsWith(`/${name}`) || isCalled(path, name)),
  }));
}

function isCalled(path: string, name: string): boolean {
  return !name.includes('.') && path.startsWith(`${name}.`);
}

function byTests(criterion: string, { cases, ran }: Evidence): Judgement | null {
  const words = wordsOf(criterion);
  const best = cases
    .map((test) => ({ test, share: Math.max(coverage(words, test.words), 0.8 * coverage(words, test.allWords)) }))
    .filter(({ share }) => share >= 0.5)
    .sort((a, b) => Number(a.test.flaw !== null) - Number(b.test.flaw !== null) || b.share - a.share)[0];
  if (best === undefined) return null;
  const { name, file, line, flaw } = best.test;
  const common = [...words].filter((word) => best.test.allWords.has(word) || best.test.words.has(word));
  const told = `test "${name}" (${file}:${line}) speaks of it (${common.join(', ')})`;
  if (flaw !== null) return { result: 'FAIL', evidence: `${told}, but ${flaw}` };
  const failures = ran.flatMap(({ output, exit_code }) => (exit_code === 0 ? [] : failuresIn(output)));
  if (failures.some((failure) => failure.includes(name))) return { result: 'FAIL', evidence: `${told}, and it fails` };
  const failed = ran.find(({ exit_code }) => exit_code !== 0);
  if (failed !== undefined) return { result: 'PARTIAL', evidence: `${told}, but ${toldOf(failed)}` };
  if (ran.length === 0) return { result: 'PARTIAL', evidence: `${told}, but nothing was run` };
  if (ran.every(({ empty }) => empty)) return { result: 'PARTIAL', evidence: `${told}, but no test was run` };
  return { result: 'PASS', evidence: `${told}; ${ran.map(toldOf).join('; ')}` };
}

function byChanges(criterion: string, { sources }: Evidence): Judgement {
  const words = wordsOf(criterion);
  const best = sources
    .map((source) => ({ path: source.path, share: coverage(words, source.words) }))
    .sort((a, b) => b.share - a.share)[0];
  if (best === undefined || best.share < 0.5)
    return { result: 'FAIL', evidence: 'no test and no changed file speaks of it' };
  const told = `${best.path} was changed and holds ${percent(best.share)} of its words, but no test speaks of it`;
  return { result: 'PARTIAL', evidence: told };
}

/** A command and its exit code, in words. */
export function toldOf({ command, exit_code, here }: Ran): string {
  const what = exit_code === -1 ? 'could not be run' : `exited with ${exit_code}`;
  return `${command} ${what}${here ? '' : ' as the verification tells; it was not run again'}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
