import { list, record, type YamlFile } from '../../workspace/yaml-file.ts';
import type { Job, Pipeline } from './job.ts';
import { scriptStep } from './steps.ts';

/** Reads the pipeline of CircleCI, with the commands that its jobs share. */
export function circleci(file: YamlFile): Pipeline {
  const content = record(file.value);
  const jobs = ['jobs', 'commands'].flatMap((kind) =>
    Object.entries(record(content[kind])).map(([name, value]) => jobOf(file, kind, name, record(value))),
  );
  return { file, kind: 'other', triggers: new Set(), jobs };
}

function jobOf(file: YamlFile, kind: string, name: string, job: Readonly<Record<string, unknown>>): Job {
  const steps = list(job['steps']).flatMap((value, at) => {
    const run = record(value)['run'];
    const { command, working_directory: folder } = record(run);
    const script = typeof run === 'string' ? run : command;
    const place = [kind, name, 'steps', at, 'run', ...(typeof run === 'string' ? [] : ['command'])];
    const scriptLine = file.textLineAt(...place);
    // Its shell is told to heed failures inside pipes.
    const rest = { scriptLine, folder: folder === undefined ? '' : null, pipefail: true };
    return typeof script === 'string' ? [scriptStep(script, file.lineAt(...place), rest)] : [];
  });
  const images = list(job['docker']).flatMap((value, at) => {
    const { image } = record(value);
    return typeof image === 'string' ? [{ image, line: file.lineAt(kind, name, 'docker', at, 'image') }] : [];
  });
  return { name, line: file.lineAt(kind, name), uses: null, images, toothless: null, hasTimeout: true, steps };
}
