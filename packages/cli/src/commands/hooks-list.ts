import { fieldsOf, type HookTable, hooks } from 'patchbay-sdk';
import type { Run } from '../command.ts';
import { columns } from '../text.ts';

export const run: Run = () => {
  const rows = Object.entries(hooks as HookTable).map(([name, row]) => ({
    name,
    kind: row.kind,
    failure: row.failure,
    deadline_ms: row.deadlineMs,
    historic: row.historic ?? false,
    since: row.since,
    fields: fieldsOf(row.payload) ?? null,
    doc: row.doc,
  }));
  const text = columns([
    ['HOOK', 'KIND', 'FAILS', 'CALLED'],
    ...rows.map(({ name, kind, failure, doc }) => [name, kind, failure, doc]),
  ]);
  return { json: rows, text };
};
