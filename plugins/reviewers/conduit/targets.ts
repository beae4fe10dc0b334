import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { makefileIn } from '../workspace/makefile.ts';
import { packageAt } from '../workspace/packages.ts';
import { within } from '../workspace/paths.ts';
import { commandsOf, linesOf } from '../workspace/shell.ts';
import type { Pipeline } from './job.ts';

const check = 'targets';

/** Targets of make and scripts of npm that CI or the documents name and nobody wrote. */
export function targetsOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return [...pipelines.flatMap((pipeline) => inPipeline(workspace, pipeline)), ...inDocuments(workspace)];
}

function inPipeline(workspace: Workspace, { file, jobs }: Pipeline): Concern[] {
  const steps = jobs.flatMap((job) => job.steps);
  return steps.flatMap(({ run, folder, line }) => {
    // Where a script goes to, only a shell knows.
    if (folder === null || /(?:^|[\s;&(])(?:cd|pushd)\s|git clone/.test(run)) return [];
    const commands = linesOf(run).flatMap(({ text }) => commandsOf(text));
    return commands.flatMap((command) =>
      [...missingTargets(workspace, command, folder, true), ...missingScript(workspace, command, folder)].map(
        (says): Concern => ({ check, weight: 'FAIL', file: file.path, line, says, also: definers(folder) }),
      ),
    );
  });
}

/** Whoever takes a target away need not have touched the file that names it. */
function definers(folder: string): string[] {
  return ['Makefile', 'makefile', 'GNUmakefile', 'package.json'].map((name) => within(folder, name));
}

function inDocuments(workspace: Workspace): Concern[] {
  const documents = workspace.paths.filter((path) =>
    /^(?:README|CONTRIBUTING|DEVELOPMENT|HACKING)[^/]*$|^docs\/.*\.md$/i.test(path),
  );
  return documents.flatMap((path) =>
    commandsInProse(workspace.text(path) ?? '').flatMap(({ command, line }) =>
      [...missingTargets(workspace, command, '', false)].map(
        (says): Concern => ({ check, weight: 'ADVISORY', file: path, line, says, also: definers('') }),
      ),
    ),
  );
}

/** Commands in code of a document: lines of fences, and what stands between backticks. */
function commandsInProse(text: string): { command: string; line: number }[] {
  let isFenced = false;
  let isForeign = false;
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      isFenced = !isFenced;
      isForeign = false;
      return [];
    }
    isForeign ||= isFenced && /(?:^|[\s;&])(?:cd|git clone)\s/.test(line);
    const codes = isFenced
      ? [line.replace(/^\s*(?:[$>%]\s+)?/, '').replace(/\s#.*$/, '')]
      : [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    return isForeign ? [] : codes.flatMap((code) => commandsOf(code).map((command) => ({ command, line: at + 1 })));
  });
}

function* missingTargets(workspace: Workspace, command: string, folder: string, needsFile: boolean): Generator<string> {
  const words = command.split(/\s+/);
  if (words[0] !== 'make') return;
  const elsewhere = /(?:^|\s)(?:-C|--directory)[ =]?(\S+)/.exec(command)?.[1];
  if (/(?:^|\s)(?:-f|--file|--makefile)/.test(command) || command.includes('$')) return;
  const where = elsewhere === undefined ? folder : within(folder, elsewhere.replace(/^\.\/|\/$/g, ''));
  const makefile = makefileIn(workspace, where);
  if (makefile === null) {
    if (needsFile) yield `make is called ${where === '' ? 'at the top' : `in ${where}`}, where there is no makefile`;
    return;
  }
  if (makefile.open) return;
  for (const [at, word] of words.entries())
    if (
      at > 0 &&
      /^[A-Za-z_][\w./-]*$/.test(word) &&
      !/^-[CjIol]$/.test(words[at - 1] ?? '') &&
      !makefile.targets.has(word)
    )
      yield `${makefile.path} has no target ${word}`;
}

function* missingScript(workspace: Workspace, command: string, folder: string): Generator<string> {
  const name = /^(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+([\w:.-]+)|(test|start)\b)/.exec(command);
  const script = name?.[1] ?? name?.[2];
  if (script === undefined || /\s(?:-w|--workspaces?|-ws|--prefix|--if-present|-C|--filter|-r)\b|\$\{\{/.test(command))
    return;
  const path = within(folder, 'package.json');
  const found = packageAt(workspace, path);
  if (found === null) yield `${command} is run where there is no package.json`;
  else if (found.scripts[script] === undefined && script !== 'start') yield `${path} has no script ${script}`;
}
