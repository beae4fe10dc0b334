import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import type { Pipeline } from '../ci/job.ts';
import { cargo } from './cargo.ts';
import { frozen } from './frozen.ts';
import { go } from './go.ts';
import { npm } from './npm.ts';
import { composer } from './php.ts';
import { pipenv, pyproject } from './python.ts';
import { bundler } from './ruby.ts';

const managers = [npm, go, cargo, pyproject, pipenv, bundler, composer];

/** Lock files that are missing, or do not say what the manifest says. */
export function locksOf(workspace: Workspace, pipelines: readonly Pipeline[]): Concern[] {
  return [...managers.flatMap((manager) => [...manager(workspace)]), ...frozen(workspace, pipelines)];
}
