import { databaseVariable, type Host, type Migrated, migrateProject, rehearseMigration } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk/errors';
import { beside } from '../carry-on.ts';
import type { Run } from '../command.ts';

/** How often to say how far it is. */
const tellEvery = 10_000;

export const run: Run = async (input) => {
  const { cwd, options, progress, signal } = input;
  const to = options['to'] === undefined ? (process.env[databaseVariable] ?? '') : String(options['to']);
  if (to === '') throw new PatchbayError('USAGE', `say where to: --to URL, or ${databaseVariable}`);
  const isRehearsal = options['dryRun'] === true;
  let said = '';
  const told = (table: string, count: number) => {
    const line = `${Math.floor(count / tellEvery) * tellEvery} ${table} …`;
    if (count < tellEvery || line === said) return;
    said = line;
    progress(line);
  };
  const migrate = ({ kernel }: Host) => migrateProject({ kernel, cwd, to, told, signal });
  const moved = isRehearsal ? await rehearseMigration({ cwd, to }) : await beside(input, migrate);
  return { json: { dry_run: isRehearsal, ...moved }, text: isRehearsal ? planned(moved) : done(moved) };
};

function planned(moved: Migrated): string {
  return [`would be moved to ${moved.to}, which is free for it:`, ...extent(moved), 'Nothing was changed.'].join('\n');
}

function done(moved: Migrated): string {
  return [
    `moved to ${moved.to}, and compared:`,
    ...extent(moved),
    `${moved.file} says "engine: postgres" now: commit it, so that every host has it.`,
    `Set ${databaseVariable} for every host, then "patchbay serve". ${moved.from} is not used any more.`,
  ].join('\n');
}

function extent({ counts, head, open_runs }: Migrated): string[] {
  const { events, deliveries, runs } = counts;
  const open = open_runs.map(({ run_id, status }) => `  ${run_id} ${status}`);
  const ended = `${open.length} of them not ended${open.length === 0 ? '' : ':'}`;
  return [
    `  ${events} events, the last one ${head?.slice(0, 12) ?? 'none'}; ${deliveries} deliveries`,
    `  ${runs} runs, ${ended}`,
    ...open.map((line) => `  ${line}`),
  ];
}
