import { type EventName, fieldsOf, type HookTable, hooks } from 'patchbay-sdk';
import { type PaceEventRow, paceEvents } from 'patchbay-sdk/pace';
import type { Run } from '../command.ts';
import { viewText } from '../pace-view.ts';
import { columns } from '../text.ts';

const views = Object.entries(paceEvents as Record<string, PaceEventRow>);

export const run: Run = () => {
  const rows = Object.entries(hooks as HookTable).map(([name, row]) => {
    const pace = views.filter(([, { on }]) => on.includes(name as EventName)).map(([view]) => view);
    return {
      name,
      kind: row.kind,
      failure: row.failure,
      deadline_ms: row.deadlineMs,
      historic: row.historic ?? false,
      since: row.since,
      fields: fieldsOf(row.payload) ?? null,
      doc: row.doc,
      ...(pace.length === 0 ? {} : { pace }),
    };
  });
  const table = columns([
    ['HOOK', 'KIND', 'FAILS', 'CALLED'],
    ...rows.map(({ name, kind, failure, doc }) => [name, kind, failure, doc]),
  ]);
  const pace = columns([['PACE', 'IS A VIEW OF'], ...views.map(([name, row]) => [name, viewText(row)])]);
  return { json: rows, text: `${table}\n\n${pace}` };
};
