import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { makefileIn, makefilesOf } from '../workspace/makefile.ts';
import { packageAt, packagesOf } from '../workspace/packages.ts';
import { folderOf, within } from '../workspace/paths.ts';
import { commandsOf, elsewhere, linesOf } from '../workspace/shell.ts';
import type { Pipeline } from './ci/job.ts';
import { commandsIn } from './ci/steps.ts';

const check = 'targets';

/** Targets of make and scripts of npm that CI or the documents name and nobody wrote. */
export function targetsOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return [
    ...pipelines.flatMap((pipeline) => inPipeline(workspace, pipeline)),
    ...inDocuments(workspace),
    ...inScripts(workspace),
    ...inMakefiles(workspace),
    ...inImage(workspace),
  ];
}

function inPipeline(workspace: Workspace, { file, jobs }: Pipeline): Concern[] {
  const steps = jobs.flatMap((job) => job.steps);
  return steps.flatMap((step) => {
    const { folder } = step;
    if (folder === null || elsewhere.test(step.run)) return [];
    return commandsIn(step).flatMap(({ command, line }) =>
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

/** Scripts of npm that call others. */
function inScripts(workspace: Workspace): Concern[] {
  return packagesOf(workspace).flatMap(({ path, text, scripts }) =>
    Object.entries(scripts).flatMap(([name, script]) => {
      if (elsewhere.test(script)) return [];
      const line = text.slice(0, text.indexOf(`"${name}"`)).split('\n').length;
      return commandsOf(script)
        .flatMap((command) => [...missingScript(workspace, command, folderOf(path))])
        .map((says): Concern => ({ check, weight: 'FAIL', file: path, line, says: `${name} cannot be run: ${says}` }));
    }),
  );
}

/** Targets that need others first. What has a dot or a slash is a file that rules of make itself may know how to make. */
function inMakefiles(workspace: Workspace): Concern[] {
  return makefilesOf(workspace)
    .filter(({ open }) => !open)
    .flatMap(({ path, targets, needs }) => {
      const isThere = (name: string) => {
        const place = within(folderOf(path), name);
        return targets.has(name) || workspace.has(place) || workspace.paths.some((one) => one.startsWith(`${place}/`));
      };
      return needs
        .filter(({ name }) => !isThere(name) && !/^(?:node_modules|venv)$/.test(name))
        .map(
          ({ line, name }): Concern => ({
            check,
            weight: 'FAIL',
            file: path,
            line,
            says: `there is no target ${name}`,
          }),
        );
    });
}

/** What an image of the whole workspace makes in it. */
function inImage(workspace: Workspace): Concern[] {
  let isCopied = false;
  return linesOf(workspace.text('Dockerfile') ?? '').flatMap(({ text, at }) => {
    const [, instruction = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(text) ?? [];
    if (/^(?:FROM|WORKDIR)$/i.test(instruction)) isCopied = false;
    if (/^(?:COPY|ADD)$/i.test(instruction)) isCopied ||= /^(?:--\S+\s+)*\.\/?\s/.test(rest);
    if (!/^RUN$/i.test(instruction) || !isCopied || elsewhere.test(rest)) return [];
    return commandsOf(rest)
      .flatMap((command) => [...missingTargets(workspace, command, '', false)])
      .map((says): Concern => ({ check, weight: 'FAIL', file: 'Dockerfile', line: at + 1, says, also: definers('') }));
  });
}

function* missingTargets(workspace: Workspace, command: string, folder: string, needsFile: boolean): Generator<string> {
  const words = command.split(/\s+/);
  if (words[0] !== 'make') return;
  const other = /(?:^|\s)(?:-C|--directory)[ =]?(\S+)/.exec(command)?.[1];
  if (/(?:^|\s)(?:-f|--file|--makefile)/.test(command) || command.includes('$')) return;
  const where = other === undefined ? folder : within(folder, other.replace(/^\.\/|\/$/g, ''));
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
  const name = /^(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+(?:-{1,2}\w\S*\s+)*(\w[\w:.-]*)|(test|start)\b)/.exec(
    command,
  );
  const script = name?.[1] ?? name?.[2];
  if (script === undefined || /\s(?:-w|--workspaces?|-ws|--prefix|--if-present|-C|--filter|-r)\b|\$\{\{/.test(command))
    return;
  const path = within(folder, 'package.json');
  const found = packageAt(workspace, path);
  if (found === null) yield `${command} is run where there is no package.json`;
  else if (found.scripts[script] === undefined && script !== 'start') yield `${path} has no script ${script}`;
}
