import type { Run } from '../command.ts';
import { columns } from '../text.ts';
import { plainLine } from '../width.ts';
import { problemLines, workspacesOf } from '../workspaces.ts';

export const run: Run = async (input) => {
  const all = await workspacesOf(input);
  const rows = all.workspaces.map(({ workspace: { folder, chats, schedule, core } }) => [
    folder,
    plainLine(chats.join(', ')),
    core === null ? '-' : plainLine(core.core),
    schedule === null ? '-' : plainLine(`${schedule.cron} ${schedule.timezone ?? ''}`.trim()),
  ]);
  const none = 'There are no workspaces; name one in patchbay.yaml under "workspaces".';
  const table = rows.length === 0 ? none : columns([['FOLDER', 'CHATS', 'CORE', 'SCHEDULE'], ...rows]);
  return {
    json: { workspaces: all.workspaces.map(({ workspace }) => workspace), problems: all.problems },
    text: [table, ...problemLines(all)].join('\n'),
  };
};
