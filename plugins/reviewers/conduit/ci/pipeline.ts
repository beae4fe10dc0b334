import type { Workspace } from '../../workspace/files.ts';
import { YamlFile } from '../../workspace/yaml-file.ts';
import { circleci } from './circleci.ts';
import { gitlab } from './gitlab.ts';
import { jenkins } from './jenkins.ts';
import type { Pipeline } from './job.ts';
import { scripts } from './scripts.ts';
import { action, workflow } from './workflow.ts';

type Reader = (path: string, text: string) => Pipeline;

const inYaml =
  (read: (file: YamlFile) => Pipeline): Reader =>
  (path, text) =>
    read(new YamlFile(path, text));

const readers: readonly (readonly [RegExp, Reader])[] = [
  [/^\.github\/workflows\/[^/]+\.ya?ml$/, inYaml(workflow)],
  [/^(?:\.github\/actions\/.+\/)?action\.ya?ml$/, inYaml(action)],
  [/^\.gitlab-ci\.ya?ml$/, inYaml(gitlab)],
  [/^\.circleci\/config\.ya?ml$/, inYaml(circleci)],
  [/^(?:azure-pipelines[^/]*|\.travis|bitbucket-pipelines)\.ya?ml$/, inYaml(scripts)],
  [/^Jenkinsfile$/, jenkins],
];

/** Every pipeline of a workspace; one whose file is not valid has no jobs. */
export function pipelinesOf(workspace: Workspace): Pipeline[] {
  return workspace.paths.flatMap((path) => {
    const read = readers.find(([name]) => name.test(path))?.[1];
    const text = read && workspace.text(path);
    return read && text ? [read(path, text)] : [];
  });
}
