import { workspaceFields } from 'patchbay-host';
import { PatchbayError, suggestion } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';
import { plainLine } from '../width.ts';
import { problemLines, workspacesOf } from '../workspaces.ts';

export const run: Run = async (input) => {
  const all = await workspacesOf(input);
  const folder = input.args[0] ?? '';
  const found = all.workspaces.find(({ workspace }) => workspace.folder === folder);
  if (found === undefined) {
    const known = all.workspaces.map(({ workspace }) => workspace.folder);
    const hint = known.length === 0 ? 'There are none.' : `Known are ${known.join(', ')}.`;
    const near = known.length === 0 ? '' : `, ${suggestion(folder, known)}`;
    throw new PatchbayError('WORKSPACE_UNKNOWN', `there is no workspace "${folder}"${near}`, { hint });
  }
  const said = (Object.keys(workspaceFields) as (keyof typeof workspaceFields)[]).map((field) => {
    const [first, ...rest] = (found.said[field] ?? []).map(({ value, plugin }) => ({
      value,
      from: plugin === null ? 'the project' : `plugin "${plugin}"`,
    }));
    return { field, value: first?.value ?? null, from: first?.from ?? 'default', instead_of: rest };
  });
  const rows = said.map(({ field, value, from, instead_of }) => [
    field,
    from === 'default' ? '-' : plainLine(JSON.stringify(value)),
    from,
    instead_of.map((one) => plainLine(`not ${JSON.stringify(one.value)} of ${one.from}`)).join('; '),
  ]);
  return {
    json: { workspace: found.workspace, said, problems: all.problems.filter((one) => one.folder === folder) },
    text: [columns(rows), ...problemLines(all)].join('\n'),
  };
};
