import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import { lockFor, npmLocks } from '../../workspace/packages.ts';
import { within } from '../../workspace/paths.ts';
import { elsewhere } from '../../workspace/shell.ts';
import type { Pipeline } from '../ci/job.ts';
import { commandsIn } from '../ci/steps.ts';
import { told } from './told.ts';

/** Commands of CI that refuse to work without a lock file. */
export function* frozen(workspace: Workspace, pipelines: readonly Pipeline[]): Generator<Concern> {
  for (const { file, jobs } of pipelines)
    for (const step of jobs.flatMap(({ steps }) => steps)) {
      if (step.folder === null || elsewhere.test(step.run)) continue;
      const found = commandsIn(step).find(({ command }) =>
        /^npm\s+(?:ci|clean-install)\b(?!.*--prefix)|^(?:yarn|pnpm)\b.*--(?:frozen-lockfile|immutable)\b/.test(command),
      );
      if (found !== undefined && lockFor(workspace, within(step.folder, 'package.json'), npmLocks) === null)
        yield told(file.path, found.line, `${found.command} needs a lock file, and there is none`);
    }
}
