import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { makefilesOf } from '../workspace/makefile.ts';
import { packagesOf } from '../workspace/packages.ts';
import { within } from '../workspace/paths.ts';
import { checkedBy, isTestRun, linesOf, programIn, swallowedBy } from '../workspace/shell.ts';
import type { Job, Pipeline, Step } from './ci/job.ts';
import { commandsIn, scriptStep } from './ci/steps.ts';

const check = 'blocking tests';
/** What makes a script fail after a command in it has. */
const fails = /\b(?:exit|return)\s+["']?(?:\$|[1-9])|(?:^|[\s;])false(?:$|[\s;])/m;

/** Tests whose failure stops nothing. */
export function blockingOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return [
    ...pipelines.flatMap(({ file, jobs }) => jobs.flatMap((job) => inJob(file.path, job))),
    ...inStarted(workspace, pipelines),
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
  if (loosened !== -1 && lines.indexOf(found) > loosened && !fails.test(rest) && !/set\s+-e/.test(rest))
    return [told(path, step.scriptLine + found.at, 'it runs after set +e', what)];
  const asked = lines.find(({ text }) => isTestRun(/^if\s+(?:!\s+)?(.*?)(?:;\s*then\b.*)?$/.exec(text)?.[1] ?? ''));
  if (asked !== undefined && !fails.test(step.run))
    return [told(path, step.scriptLine + asked.at, 'it is only asked whether they pass', 'tests')];
  const pipefail = step.pipefail || /pipefail/.test(step.run);
  return lines.flatMap(({ text, at }) => {
    const how = swallowedBy(text, pipefail);
    return how === null ? [] : [told(path, step.scriptLine + at, `the command ends in ${how}`, checkedBy(text))];
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

/** The scripts that pipelines start are theirs as much as what they say themselves. */
function inStarted(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  const steps = pipelines.flatMap(({ jobs }) => jobs.flatMap((job) => job.steps));
  const paths = steps.flatMap((step) =>
    commandsIn(step).flatMap(({ command }) => {
      const path = programIn(command);
      return step.folder === null || path === null || !/\.(?:ba|z)?sh$/.test(path) ? [] : [within(step.folder, path)];
    }),
  );
  return [...new Set(paths)].flatMap((path) => {
    const text = workspace.text(path);
    return text === null ? [] : inStep(path, scriptStep(text, 1));
  });
}

function inScripts(workspace: Workspace): Concern[] {
  return packagesOf(workspace).flatMap(({ path, text, scripts }) =>
    Object.entries(scripts).flatMap(([name, script]) => {
      const how = name === 'test' ? (swallowed.exec(script)?.[1] ?? null) : swallowedBy(script, true);
      if (how === null) return [];
      const line = text.slice(0, text.indexOf(`"${name}"`)).split('\n').length;
      return [told(path, line, `the script ends in ${how}`, name === 'test' ? 'tests' : checkedBy(script))];
    }),
  );
}

const swallowed = /(\|\|\s*(?:true|:|exit 0)|;\s*(?:true|exit 0))\s*$/;

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
