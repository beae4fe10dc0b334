import { list, record, type YamlFile } from '../../workspace/yaml-file.ts';
import type { Job, Pipeline } from './job.ts';
import { scriptStep } from './steps.ts';

/** Reads the pipeline of GitLab. It has a time limit by default. */
export function gitlab(file: YamlFile): Pipeline {
  const content = record(file.value);
  const jobs = Object.entries(content).flatMap(([name, value]): Job[] => {
    const job = record(value);
    if (name === 'default' || job['script'] === undefined) return [];
    const line = file.lineAt(name);
    const toothless =
      job['allow_failure'] === true ? 'allow_failure: true' : job['when'] === 'never' ? 'when: never' : null;
    const steps = list(job['script']).map((run, at) => {
      const place = Array.isArray(job['script']) ? [name, 'script', at] : [name, 'script'];
      const scriptLine = file.textLineAt(...place);
      return scriptStep(String(run), file.lineAt(...place), { scriptLine, pipefail: true });
    });
    const images = imageOf(job['image']).map((image) => ({ image, line: file.lineAt(name, 'image') }));
    return [{ name, line, uses: null, images, toothless, hasTimeout: true, steps }];
  });
  const images = imageOf(content['image'] ?? record(content['default'])['image']).map((image) => ({
    image,
    line: file.lineAt('image'),
  }));
  if (images.length > 0)
    jobs.push({ name: 'default', line: 1, uses: null, images, toothless: null, hasTimeout: true, steps: [] });
  return { file, kind: 'gitlab', triggers: new Set(), jobs };
}

function imageOf(value: unknown): string[] {
  const image = typeof value === 'string' ? value : record(value)['name'];
  return typeof image === 'string' ? [image] : [];
}
