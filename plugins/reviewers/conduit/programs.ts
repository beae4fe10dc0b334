import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { within } from '../workspace/paths.ts';
import { elsewhere, programIn } from '../workspace/shell.ts';
import type { Job, Pipeline, Step } from './ci/job.ts';
import { commandsIn } from './ci/steps.ts';

/** Folders whose files are made by the steps before. */
const generated = /(?:^|\/)(?:dist|build|out|target|bin|obj|tmp|coverage|generated|node_modules)\//;

/** Files that pipelines start and that are not there. */
export function programsOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return pipelines.flatMap(({ file, jobs }) =>
    jobs
      .filter(({ steps }) => !steps.some(bringsFiles))
      .flatMap((job) =>
        missingIn(workspace, job).map(({ line, path }): Concern => {
          const says = `${path} is started, and there is no such file`;
          return { check: 'targets', weight: 'FAIL', file: file.path, line, says, also: [path] };
        }),
      ),
  );
}

/** Whether a step brings files that are not the workspace's. */
function bringsFiles({ uses, with: options }: Step): boolean {
  if (uses?.startsWith('actions/download-artifact@')) return true;
  return uses?.startsWith('actions/checkout@') === true && ('repository' in options || 'path' in options);
}

function missingIn(workspace: Workspace, { steps }: Job): { line: number; path: string }[] {
  let before = '';
  return steps.flatMap((step) => {
    const { folder } = step;
    if (folder === null || elsewhere.test(step.run)) return [];
    return commandsIn(step).flatMap(({ command, line }) => {
      const named = programIn(command);
      const path = named === null ? null : within(folder, named);
      const isMade = named !== null && before.includes(named.slice(named.lastIndexOf('/') + 1));
      before += `${command}\n`;
      return path === null || isMade || generated.test(path) || workspace.has(path) ? [] : [{ line, path }];
    });
  });
}
