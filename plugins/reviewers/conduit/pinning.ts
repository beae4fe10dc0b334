import type { Concern } from '../concern.ts';
import type { Workspace } from '../workspace/files.ts';
import { record, YamlFile } from '../workspace/yaml-file.ts';
import type { Pipeline } from './ci/job.ts';
import { includesOf } from './includes.ts';

const check = 'pinning';

/** Actions that whoever owns them can change afterwards, and images that are a different one tomorrow. */
export function pinningOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return [
    ...pipelines.flatMap(inPipeline),
    ...pipelines.flatMap(includesOf),
    ...inDockerfiles(workspace),
    ...inCompose(workspace),
  ];
}

function inPipeline({ file: { path }, jobs }: Pipeline): Concern[] {
  return jobs.flatMap(({ uses, line, images, steps }) => [
    ...(uses === null ? [] : action(path, line, uses)),
    ...steps.flatMap((step) => (step.uses === null ? [] : action(path, step.line, step.uses))),
    ...images.flatMap(({ image, line: at }) => imageAt(path, at, image)),
  ]);
}

function action(path: string, line: number, uses: string): Concern[] {
  if (uses.startsWith('./') || uses.includes('${{')) return [];
  if (uses.startsWith('docker://')) return imageAt(path, line, uses.slice('docker://'.length));
  const [name = '', ref] = uses.split('@');
  if (ref !== undefined && /^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(ref)) return [];
  const isTag = ref !== undefined && /^v?\d+(?:\.\d+)*(?:[-.+]?\w+)*$/.test(ref);
  const says = `${name} is taken at ${ref === undefined ? 'no version' : `the ${isTag ? 'tag' : 'branch'} ${ref}`}, which can be moved; name a commit`;
  return [{ check, weight: isTag ? 'ADVISORY' : 'FAIL', file: path, line, says }];
}

function imageAt(file: string, line: number, image: string): Concern[] {
  if (image.includes('$') || image.includes('@sha256:') || image === 'scratch') return [];
  const tag = /:([\w.-]+)$/.exec(image)?.[1];
  if (tag !== undefined && tag !== 'latest') return [];
  return [
    {
      check,
      weight: 'ADVISORY',
      file,
      line,
      says: `the image ${image} is another one tomorrow; name a version or a digest`,
    },
  ];
}

function inDockerfiles(workspace: Workspace): Concern[] {
  const files = workspace.paths.filter((path) =>
    /(?:^|\/)(?:Dockerfile[^/]*|Containerfile|[^/]+\.[Dd]ockerfile)$/.test(path),
  );
  return files.flatMap((path) => {
    const stages = new Set<string>();
    return (workspace.text(path) ?? '').split('\n').flatMap((text, at) => {
      const [, image = '', stage] = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i.exec(text) ?? [];
      const isOwn = image === '' || stages.has(image.toLowerCase());
      if (stage !== undefined) stages.add(stage.toLowerCase());
      return isOwn ? [] : imageAt(path, at + 1, image);
    });
  });
}

function inCompose(workspace: Workspace): Concern[] {
  const files = workspace.paths.filter((path) => /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$/.test(path));
  return files.flatMap((path) => {
    const yaml = new YamlFile(path, workspace.text(path) ?? '');
    return Object.entries(record(record(yaml.value)['services'])).flatMap(([name, value]) => {
      const { image, build } = record(value);
      // With `build` it is the name under which the result is kept.
      if (typeof image !== 'string' || build !== undefined) return [];
      return imageAt(path, yaml.lineAt('services', name, 'image'), image);
    });
  });
}
