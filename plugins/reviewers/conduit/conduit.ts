import { type Concern, reportOf } from '../concern.ts';
import { type Decision, deadlineOf, type FindingsReport, type ReviewInput } from '../review.ts';
import { clearedIn } from '../story.ts';
import { Workspace } from '../workspace/files.ts';
import { blockingOf } from './blocking.ts';
import { pipelinesOf } from './ci/pipeline.ts';
import { locksOf } from './locks/locks.ts';
import { pinningOf } from './pinning.ts';
import { programsOf } from './programs.ts';
import { targetsOf } from './targets.ts';
import { triggersOf } from './triggers.ts';

/** What `conduit` reports. */
export interface ConduitReport extends FindingsReport {
  readonly conduit_decision: Decision;
}

/**
 * Looks at how the work is built, tested and delivered: CI, lock files, makefiles, images. Rejects only if the workspace
 * cannot be read.
 */
export async function review(input: ReviewInput): Promise<ConduitReport> {
  const workspace = await Workspace.open(input.workspace, input.base, deadlineOf(input));
  const pipelines = pipelinesOf(workspace);
  const concerns: Concern[] = [
    ...triggersOf(pipelines),
    ...pinningOf(workspace, pipelines),
    ...blockingOf(workspace, pipelines),
    ...locksOf(workspace, pipelines),
    ...targetsOf(workspace, pipelines),
    ...programsOf(workspace, pipelines),
  ];
  const looked = `files of CI looked at: ${pipelines.length}`;
  const checks = {
    workflows: looked,
    pinning: `${looked}; Docker and compose files too`,
    'blocking tests': `${looked}; scripts that they start, makefiles and scripts of npm too`,
    'lock files':
      'lock files of npm, yarn, pnpm, Go, Cargo, uv, Poetry, Pipenv, Bundler and Composer compared with their manifests',
    targets: `${looked}; documents, makefiles, images and scripts of npm too`,
    'untrusted code': looked,
    'job timeouts': looked,
    permissions: looked,
  };
  const { decision, ...report } = reportOf(concerns, workspace.changed, {
    checks,
    notes: workspace.notes(),
    cut: workspace.cut(),
    isCleared: clearedIn(input.story),
  });
  return { ...report, conduit_decision: decision };
}
