import type { Concern } from '../../concern.ts';
import type { Workspace } from '../../workspace/files.ts';
import { told } from './told.ts';

/** The sums of Go modules. */
export function* go(workspace: Workspace): Generator<Concern> {
  for (const path of workspace.paths.filter((one) => /(?:^|\/)go\.mod$/.test(one))) {
    const sum = workspace.text(path.replace(/mod$/, 'sum'));
    const lines = (workspace.text(path) ?? '').split('\n');
    for (const [at, line] of lines.entries()) {
      const [, module, version] = /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+(v\d\S*)/.exec(line) ?? [];
      if (module === undefined || /=>/.test(line) || lines.some((other) => /=>/.test(other) && other.includes(module)))
        continue;
      if (sum === null) yield told(path, at + 1, `there is no go.sum for ${module}`);
      else if (!sum.includes(`${module} ${version}`))
        yield told(path, at + 1, `go.sum is stale: it does not know ${module} ${version}`);
    }
  }
}
