import { list, type Place, record, type YamlFile } from '../../workspace/yaml-file.ts';
import type { Pipeline, Step } from './job.ts';
import { scriptStep } from './steps.ts';

const deepest = 12;

/** Reads a pipeline of Azure, Travis or Bitbucket: whatever its shape, what it runs stands under these names. */
export function scripts(file: YamlFile): Pipeline {
  const steps = [...stepsIn(file, file.value, [], null)];
  const job = { name: 'scripts', line: 1, uses: null, images: [], toothless: null, hasTimeout: true, steps };
  return { file, kind: 'other', triggers: new Set(), jobs: [job] };
}

function* stepsIn(file: YamlFile, value: unknown, place: Place, around: string | null): Generator<Step> {
  if (place.length > deepest) return;
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) yield* stepsIn(file, one, [...place, at], around);
    return;
  }
  const { continueOnError, ...parts } = record(value);
  const toothless = continueOnError === true ? 'continueOnError: true' : around;
  for (const [name, part] of Object.entries(parts)) {
    if (!/^(?:script|bash|pwsh|powershell)$/.test(name)) {
      yield* stepsIn(file, part, [...place, name], toothless);
      continue;
    }
    const folder = parts['workingDirectory'] === undefined ? '' : null;
    for (const [at, run] of list(part).entries()) {
      const where = Array.isArray(part) ? [...place, name, at] : [...place, name];
      const scriptLine = file.textLineAt(...where);
      if (typeof run === 'string') yield scriptStep(run, file.lineAt(...where), { scriptLine, toothless, folder });
    }
  }
}
