import { type Concern, reportOf } from '../concern.ts';
import { type Decision, deadlineOf, type FindingsReport, type ReviewInput } from '../review.ts';
import { clearedIn } from '../story.ts';
import { type TextFile, Workspace } from '../workspace/files.ts';
import { dependenciesOf } from './dependencies.ts';
import { goIn } from './go/go.ts';
import { javascriptIn } from './javascript/javascript.ts';
import { jsxIn } from './jsx.ts';
import { pythonIn } from './python/python.ts';
import { secretsIn } from './secrets.ts';
import { shellIn } from './shell.ts';
import { transportIn } from './transport.ts';

/** What `sentinel` reports. */
export interface SentinelReport extends FindingsReport {
  readonly sentinel_decision: Decision;
}

/** Which reader a file of code has, by the end of its name; what has no ending may be a script of a shell. */
const readers: readonly (readonly [RegExp, (file: TextFile) => Concern[]])[] = [
  [/\.[cm]?[jt]s$|\.[jt]sx$/, (file) => javascriptIn(file) ?? jsxIn(file)],
  [/\.py$/, pythonIn],
  [/\.go$/, goIn],
  [/\.(?:ba|da|k|z)?sh$|(?:^|\/)[^./]+$/, shellIn],
];
const minified = /\.min\.[cm]?js$/;
const codeChecks = [
  'command injection',
  'code injection',
  'SQL injection',
  'cross-site scripting',
  'template injection',
  'path traversal',
  'unsafe loading',
  'certificates',
  'timeouts',
];

/**
 * Looks for leaked secrets, injection, missing time limits and dependencies that nobody can audit. Rejects only if the
 * workspace cannot be read.
 */
export async function review(input: ReviewInput): Promise<SentinelReport> {
  const workspace = await Workspace.open(input.workspace, input.base, deadlineOf(input));
  const concerns: Concern[] = [];
  let files = 0;
  let modules = 0;
  for await (const file of workspace.texts()) {
    files++;
    concerns.push(...secretsIn(file), ...transportIn(file));
    const reader = minified.test(file.path) ? undefined : readers.find(([ending]) => ending.test(file.path))?.[1];
    if (reader === undefined) continue;
    modules++;
    concerns.push(...onePerLine(reader(file)));
  }
  concerns.push(...dependenciesOf(workspace));
  const checks = {
    secrets: `files looked at: ${files}`,
    ...Object.fromEntries(
      codeChecks.map((check) => [
        check,
        `files of JavaScript, TypeScript, Python, Go and shells looked at: ${modules}`,
      ]),
    ),
    dependencies: 'manifests and lock files looked at; no list of known vulnerabilities was asked',
  };
  const { decision, ...report } = reportOf(concerns, workspace.changed, {
    checks,
    notes: workspace.notes(),
    cut: workspace.cut(),
    isCleared: clearedIn(input.story),
  });
  return { ...report, sentinel_decision: decision };
}

/** Nested calls give rise to the same concern twice. */
function onePerLine(concerns: readonly Concern[]): Concern[] {
  const told = new Set<string>();
  return concerns.filter(({ check, line }) => told.size < told.add(`${line} ${check}`).size);
}
