import type { Concern } from '../concern.ts';
import { record } from '../workspace/yaml-file.ts';
import type { Job, Pipeline, Step } from './ci/job.ts';

const headOf = /github\.(?:event\.pull_request\.head\.|head_ref)|refs\/pull\//;
const writtenByAnybody =
  /\$\{\{[^}]*github\.(?:head_ref|event\.(?:issue|pull_request|discussion)\.(?:title|body)|event\.pull_request\.head\.(?:ref|label)|event\.(?:comment|review|review_comment)\.body|event\.head_commit\.(?:message|author\.\w+)|event\.commits)[^}]*\}\}/;

/** Workflows that run what anybody proposes, wait for ever, or cannot be read. */
export function triggersOf(pipelines: readonly Pipeline[]): Concern[] {
  return pipelines.flatMap((pipeline) => {
    const { file, kind, jobs } = pipeline;
    const told = (check: string, weight: Concern['weight'], line: number, says: string): Concern => ({
      check,
      weight,
      file: file.path,
      line,
      says,
    });
    if (file.problem !== null) return [told('workflows', 'FAIL', file.problem.line, `not valid: ${file.problem.says}`)];
    const found: Concern[] = [];
    for (const { job, step } of stepsIn(jobs)) {
      if (pipeline.triggers.has('pull_request_target') && checksOutHead(step))
        found.push(
          told(
            'untrusted code',
            'FAIL',
            step.line,
            `${job.name} has this repository's secrets and runs what anybody proposes (pull_request_target with the head checked out)`,
          ),
        );
      if (writtenByAnybody.test(step.run) || writtenByAnybody.test(String(step.with['script'] ?? '')))
        found.push(
          told(
            'untrusted code',
            'FAIL',
            step.line,
            'text that anybody can write stands in a script; pass it through env',
          ),
        );
    }
    if (record(file.value)['permissions'] === 'write-all')
      found.push(
        told(
          'permissions',
          'ADVISORY',
          file.lineAt('permissions'),
          'write-all gives every step every permission; name those that are needed',
        ),
      );
    if (kind !== 'workflow') return found;
    for (const { name, line, uses, hasTimeout } of jobs)
      if (!hasTimeout && uses === null)
        found.push(told('job timeouts', 'ADVISORY', line, `${name} may run for six hours; set timeout-minutes`));
    return found;
  });
}

function checksOutHead({ uses, run, with: options }: Step): boolean {
  if (uses?.startsWith('actions/checkout@'))
    return headOf.test(`${options['ref'] ?? ''} ${options['repository'] ?? ''}`);
  return /\bgh pr checkout\b/.test(run) || (/\bgit (?:checkout|fetch|pull|switch)\b/.test(run) && headOf.test(run));
}

function stepsIn(jobs: readonly Job[]) {
  return jobs.flatMap((job) => job.steps.map((step) => ({ job, step })));
}
