import type { Concern } from '../concern.ts';
import { list, record } from '../workspace/yaml-file.ts';
import type { Pipeline } from './ci/job.ts';

/** What a pipeline of GitLab takes from elsewhere, at a place that may change. */
export function includesOf({ file, kind }: Pipeline): Concern[] {
  const { include } = record(file.value);
  if (kind !== 'gitlab') return [];
  return list(include).flatMap((value, at): Concern[] => {
    const says = typeof value === 'string' ? ofAddress(value) : ofFields(record(value));
    const [key = ''] = Object.keys(record(value));
    const line = Array.isArray(include) ? file.lineAt('include', at, key) : file.lineAt('include', key);
    return says === null ? [] : [{ check: 'pinning', weight: 'ADVISORY', file: file.path, line, says }];
  });
}

function ofFields({ project, ref, remote, component, integrity }: Readonly<Record<string, unknown>>): string | null {
  if (typeof remote === 'string') return integrity === undefined ? ofAddress(remote) : null;
  if (typeof component === 'string') return ofVersion(component.split('@')[0] ?? '', component.split('@')[1]);
  return typeof project === 'string' ? ofVersion(project, ref === undefined ? undefined : String(ref)) : null;
}

function ofAddress(address: string): string | null {
  return /^https?:/.test(address) ? `${address} may hold anything tomorrow; give its integrity` : null;
}

function ofVersion(name: string, version: string | undefined): string | null {
  if (version !== undefined && /^v?\d|^[0-9a-f]{40}$|\$/.test(version)) return null;
  return `${name} is taken at ${version ?? 'no version'}, which moves; name a version or a commit`;
}
