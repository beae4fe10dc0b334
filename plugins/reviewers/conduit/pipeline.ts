import type { Workspace } from '../workspace/files.ts';
import { gitlab } from './gitlab.ts';
import type { Pipeline } from './job.ts';
import { action, workflow } from './workflow.ts';
import { YamlFile } from './yaml-file.ts';

const readers: readonly (readonly [RegExp, (file: YamlFile) => Pipeline])[] = [
  [/^\.github\/workflows\/[^/]+\.ya?ml$/, workflow],
  [/^(?:\.github\/actions\/.+\/)?action\.ya?ml$/, action],
  [/^\.gitlab-ci\.ya?ml$/, gitlab],
];

/** Every pipeline of a workspace; one whose file is not valid has no jobs. */
export function pipelinesOf(workspace: Workspace): Pipeline[] {
  return workspace.paths.flatMap((path) => {
    const read = readers.find(([name]) => name.test(path))?.[1];
    const text = read && workspace.text(path);
    return read && text ? [read(new YamlFile(path, text))] : [];
  });
}
