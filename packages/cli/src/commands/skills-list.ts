import { collectWorkspaces, listSkills } from 'patchbay-host';
import { beside } from '../carry-on.ts';
import type { Run } from '../command.ts';
import { workspaceOf } from '../memory.ts';
import { columns } from '../text.ts';
import { plainLine } from '../width.ts';

export const run: Run = async (input) => {
  const workspace = workspaceOf(input);
  const { skills, problems } = await beside(input, async ({ kernel, project }) => {
    const all = project === undefined ? [] : (await collectWorkspaces(kernel, project.assistant)).workspaces;
    const wanted = all.find((one) => one.workspace.folder === workspace)?.workspace.skills;
    return listSkills(kernel, wanted ?? undefined);
  });
  const rows = skills.map(({ name, tier, plugin, selected, description }) => [
    name,
    tier,
    plugin,
    selected ? 'selected' : '-',
    plainLine(description.split('\n', 1)[0] ?? ''),
  ]);
  const wrong = problems.map(({ plugin, dir, message }) => {
    return plainLine(`problem with ${plugin}: ${message}${dir === null ? '' : ` (${dir})`}`);
  });
  const table = rows.length === 0 ? 'No plugin brings a skill.' : columns(rows);
  return { json: { workspace, skills, problems }, text: [table, ...wrong].join('\n') };
};
