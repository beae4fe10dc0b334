import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { makefilesOf } from '../workspace/makefile.ts';
import { packagesOf } from '../workspace/packages.ts';
import { checkedBy, linesOf, swallowedBy } from '../workspace/shell.ts';
import type { Job, Pipeline, Step } from './job.ts';

const check = 'blocking tests';

/** Tests whose failure stops nothing. */
export function blockingOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return [
    ...pipelines.flatMap(({ file, jobs }) => jobs.flatMap((job) => inJob(file.path, job))),
    ...inMakefiles(workspace),
    ...inScripts(workspace),
  ];
}

function inJob(path: string, job: Job): Concern[] {
  const checks = job.steps.map(({ run }) =>
    checkedBy(
      linesOf(run)
        .map(({ text }) => text)
        .join('\n'),
    ),
  );
  if (job.toothless !== null && checks.some((one) => one !== null))
    return [
      told(path, job.line, `the job ${job.name} has ${job.toothless}`, checks.includes('tests') ? 'tests' : 'lint'),
    ];
  return job.steps.flatMap((step) => inStep(path, step));
}

function inStep(path: string, step: Step): Concern[] {
  const lines = linesOf(step.run);
  const found = lines.find(({ text }) => checkedBy(text) !== null);
  const what = found && checkedBy(found.text);
  if (!found || !what) return [];
  if (step.toothless !== null) return [told(path, step.line, `the step has ${step.toothless}`, what)];
  const loosened = lines.findIndex(({ text }) => /^set\s+\+e\b/.test(text));
  const rest = lines
    .slice(loosened)
    .map(({ text }) => text)
    .join('\n');
  if (loosened !== -1 && lines.indexOf(found) > loosened && !/\bexit\s+["']?(?:\$|[1-9])|set\s+-e/.test(rest))
    return [told(path, step.line, 'the step has set +e', what)];
  const pipefail = step.pipefail || /pipefail/.test(step.run);
  return lines.flatMap(({ text }) => {
    const how = swallowedBy(text, pipefail);
    return how === null ? [] : [told(path, step.line, `the step ends in ${how}`, checkedBy(text))];
  });
}

function inMakefiles(workspace: Workspace): Concern[] {
  return makefilesOf(workspace).flatMap(({ path, recipes }) =>
    recipes.flatMap(({ line, text }) => {
      const what = checkedBy(text.replace(/^[@-]+/, ''));
      if (what === null) return [];
      const how = /^@?-/.test(text) ? 'a - before the command' : swallowedBy(text.replace(/^@/, ''), true);
      return how === null ? [] : [told(path, line, `the recipe has ${how}`, what)];
    }),
  );
}

function inScripts(workspace: Workspace): Concern[] {
  return packagesOf(workspace).flatMap(({ path, text, scripts }) => {
    const { test } = scripts;
    const how =
      test === undefined ? null : (/(\|\|\s*(?:true|:|exit 0)|;\s*(?:true|exit 0))\s*$/.exec(test)?.[1] ?? null);
    if (how === null) return [];
    const line = text.slice(0, text.indexOf('"test"')).split('\n').length;
    return [told(path, line, `the script ends in ${how}`, 'tests')];
  });
}

function told(file: string, line: number, how: string, what: 'tests' | 'lint' | null): Concern {
  const subject = what === 'lint' ? 'a check' : 'tests';
  return {
    check,
    weight: what === 'lint' ? 'ADVISORY' : 'FAIL',
    file,
    line,
    says: `${how}: ${subject} may fail and nobody is stopped`,
  };
}
