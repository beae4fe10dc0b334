import { Lines } from '../../workspace/lines.ts';
import type { Pipeline } from './job.ts';
import { scriptStep } from './steps.ts';

/** Reads what a pipeline of Jenkins gives to a shell. */
export function jenkins(path: string, text: string): Pipeline {
  const lines = new Lines(text);
  const code = text.replace(/^\s*\/\/[^\n]*/gm, (comment) => comment.replace(/[^\n]/g, ' '));
  // Where `dir` leads to is not followed.
  const folder = /\bdir\s*\(/.test(code) ? null : '';
  const found = code.matchAll(/\bsh\s*\(?\s{0,20}(?:script\s*:\s*)?('''|"""|'|")([\s\S]{1,20000}?)\1/g);
  const steps = [...found].map(({ 0: whole, 2: run = '', index }) => {
    const scriptLine = lines.at(index + whole.indexOf(run));
    return scriptStep(run, lines.at(index), { scriptLine, folder });
  });
  const job = { name: 'sh', line: 1, uses: null, images: [], toothless: null, hasTimeout: true, steps };
  const file = { path, value: undefined, problem: null, lineAt: () => 1 };
  return { file, kind: 'other', triggers: new Set(), jobs: [job] };
}
