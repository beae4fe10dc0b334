import { PatchbayError, problemsOf } from 'patchbay-sdk';
import { normalise } from './normalise.ts';
import { outlineOf } from './outline.ts';
import { advice, rules } from './rules/index.ts';
import { templateForm } from './schema.ts';
import { type LocatedProblem, readYaml } from './source.ts';
import type { Template } from './template.ts';

/** Is told what is most often a mistake, in one line. */
export type Warn = (message: string) => void;

/**
 * Reads a template; `file` is its name in messages. Throws TEMPLATE_INVALID with every problem, each with its path and
 * line. What stops nobody is told to `warn`; nobody hears it by default.
 */
export function readTemplate(text: string, file: string, warn: Warn = () => {}): Template {
  const source = readYaml(text);
  if (source.problems.length > 0) throw templateInvalid(file, source.problems);
  const { value, lineOf } = source;
  const outline = outlineOf(value);
  const found = [...problemsOf(templateForm, value), ...rules.flatMap((rule) => rule(outline))];
  const located = found.map((problem) => ({ ...problem, line: lineOf(problem.path) }));
  if (located.length > 0)
    throw templateInvalid(
      file,
      located.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    );
  for (const { path, message } of advice.flatMap((rule) => rule(outline)))
    warn(`${place(file, lineOf(path))}: ${message}`);
  return normalise(templateForm.parse(value));
}

/** TEMPLATE_INVALID with these problems. */
export function templateInvalid(file: string, problems: readonly LocatedProblem[], cause?: unknown): PatchbayError {
  const told = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const [first] = problems;
  const text =
    problems.length === 1
      ? `${place(file, first?.line ?? null)}: ${told[0]}`
      : `${file}: ${problems.length} problems: ${told.map((one, i) => withLine(one, problems[i]?.line)).join('; ')}`;
  return new PatchbayError('TEMPLATE_INVALID', text, {
    file,
    problems,
    cause,
  });
}

function place(file: string, line: number | null): string {
  return line === null ? file : `${file}:${line}`;
}

function withLine(text: string, line: number | null | undefined): string {
  return typeof line === 'number' ? `line ${line}, ${text}` : text;
}
