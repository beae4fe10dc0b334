import { type Decision, deadlineOf, type GateReport, type ReviewInput } from '../review.ts';
import { clearedIn, textsOf, withoutDeferred } from '../story.ts';
import { Workspace } from '../workspace/files.ts';
import { isTest } from '../workspace/paths.ts';
import { casesOf } from './cases.ts';
import { judge, type Source, toldOf } from './criterion.ts';
import { type Ran, runSuite, tail } from './suite.ts';
import { wordsOf } from './words.ts';

/**
 * Runs the tests and holds each acceptance criterion against what can be seen. Holds if a command fails or a criterion is
 * not met; ADVISORY if something could not be told. Rejects only if the workspace cannot be read.
 */
export async function review(input: ReviewInput): Promise<GateReport> {
  const deadline = deadlineOf(input);
  const workspace = await Workspace.open(input.workspace, input.base, deadline);
  // Before the tests, which may take all the time there is.
  const cases = await casesOf(workspace);
  const sources = await sourcesOf(workspace);
  const ran = await runSuite(input, workspace, deadline);
  const { story } = input;
  const evidence = { workspace, cases, ran, sources, story };
  const results = withoutDeferred(input.criteria, story).map((criterion) => judge(criterion, evidence));
  const failed = results.filter(({ result }) => result === 'FAIL');
  const partial = results.filter(({ result }) => result === 'PARTIAL');
  const blockers = [
    ...ran.filter(({ exit_code }) => exit_code !== 0).map(blockerOf),
    ...claims(input, ran),
    ...failed.map((result) => `not met: ${result.criterion} (${result.evidence})`),
  ];
  const isCleared = clearedIn(story);
  const doubts = [
    ...(ran.length === 0 ? ['nothing was run: no tests were found, and the verification holds no evidence'] : []),
    ...(workspace.cut() === null ? [] : [`${workspace.cut()}`]),
    ...ran.filter(({ empty }) => empty).map(({ command }) => `${command} succeeded without running a test`),
    ...partial.map(({ criterion, evidence: told }) => `not certain: ${criterion} (${told})`),
  ].filter((doubt) => !isCleared(doubt));
  const decision: Decision = blockers.length > 0 ? 'HOLD' : doubts.length > 0 ? 'ADVISORY' : 'SHIP';
  return {
    criteria_results: results,
    blockers,
    deferred: [...textsOf(story, 'deferred'), ...textsOf(input.handoff, 'known_gaps')],
    gate_decision: decision,
    hold_reason: (decision === 'HOLD' ? blockers : doubts).join('\n'),
  };
}

async function sourcesOf(workspace: Workspace): Promise<Source[]> {
  const { changed } = workspace;
  const sources: Source[] = [];
  for await (const { path, text } of workspace.texts((one) => !isTest(one) && (changed.size === 0 || changed.has(one))))
    sources.push({ path, words: wordsOf(`${path} ${text.slice(0, 200_000)}`) });
  return sources;
}

function blockerOf(ran: Ran): string {
  const end = tail(ran.output);
  return end === '' ? toldOf(ran) : `${toldOf(ran)}:\n${end}`;
}

/** Whoever says that the verification failed is believed, unless commands that were run here say otherwise. */
function claims({ verification: { status } }: ReviewInput, ran: readonly Ran[]): string[] {
  const isRefuted = ran.some(({ here }) => here);
  const isTold = ran.some(({ exit_code }) => exit_code !== 0);
  return status === 'fail' && !isRefuted && !isTold ? ['the verification says that it failed'] : [];
}
