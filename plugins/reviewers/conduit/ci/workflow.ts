import { list, type Place, record, type YamlFile } from '../../workspace/yaml-file.ts';
import type { Image, Job, Pipeline, Step } from './job.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads a workflow of GitHub Actions. */
export function workflow(file: YamlFile): Pipeline {
  const content = record(file.value);
  const { on, jobs } = content;
  const names = Object.keys(record(on));
  const triggers = new Set(names.length > 0 ? names : list(on).map(String));
  return {
    file,
    kind: 'workflow',
    triggers,
    jobs: Object.keys(record(jobs)).map((name) => jobOf(file, name, content)),
  };
}

/** Reads an action that is made of steps. */
export function action(file: YamlFile): Pipeline {
  const steps = stepsOf(file, ['runs', 'steps'], record(record(file.value)['runs'])['steps'], {});
  const job = { name: 'runs', line: 1, uses: null, images: [], toothless: null, hasTimeout: true, steps };
  return { file, kind: 'action', triggers: new Set(), jobs: [job] };
}

function jobOf(file: YamlFile, name: string, content: Fields): Job {
  const job = record(record(content['jobs'])[name]);
  const place = ['jobs', name];
  const defaults = { ...record(record(content['defaults'])['run']), ...record(record(job['defaults'])['run']) };
  return {
    name,
    line: file.lineAt(...place, ...(job['uses'] === undefined ? [] : ['uses'])),
    uses: textOf(job['uses']),
    images: imagesOf(file, place, job),
    toothless: toothlessness(job),
    hasTimeout: job['timeout-minutes'] !== undefined,
    steps: stepsOf(file, [...place, 'steps'], job['steps'], defaults),
  };
}

function imagesOf(file: YamlFile, place: Place, job: Fields): Image[] {
  const { container, services } = job;
  const own = textOf(container) ?? textOf(record(container)['image']);
  const others = Object.entries(record(services)).map(([name, service]) => ({
    image: textOf(record(service)['image']),
    line: file.lineAt(...place, 'services', name, 'image'),
  }));
  const all = [{ image: own, line: file.lineAt(...place, 'container', 'image') }, ...others];
  return all.flatMap(({ image, line }) => (image === null ? [] : [{ image, line }]));
}

function stepsOf(file: YamlFile, place: Place, steps: unknown, defaults: Fields): Step[] {
  return list(steps).map((value, at) => {
    const step = record(value);
    const folder = textOf(step['working-directory'] ?? defaults['working-directory']) ?? '';
    return {
      line: file.lineAt(...place, at, typeof step['run'] === 'string' ? 'run' : 'uses'),
      scriptLine: file.textLineAt(...place, at, 'run'),
      run: textOf(step['run']) ?? '',
      uses: textOf(step['uses']),
      with: record(step['with']),
      toothless: toothlessness(step),
      folder: folder.includes('${{') ? null : folder.replace(/^\.\/|\/$|^\.$/g, ''),
      // GitHub adds `-o pipefail` only where the shell is named.
      pipefail: (step['shell'] ?? defaults['shell']) === 'bash',
    };
  });
}

function toothlessness(owner: Fields): string | null {
  const goesOn = owner['continue-on-error'];
  if (goesOn === true) return 'continue-on-error: true';
  // A matrix may hold what is only tried; whatever else decides, it lets some failures pass.
  if (typeof goesOn === 'string' && /\bgithub\./.test(goesOn)) return `continue-on-error: ${goesOn}`;
  return /^(?:\$\{\{\s*)?false(?:\s*\}\})?$/.test(String(owner['if'] ?? '')) ? 'if: false' : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
