import { DatabaseSync } from 'node:sqlite';
import { applicationId, migrations } from './tables.ts';

/** Opens the file of a group, made if it is not there. Throws if it is no memory, or of a later version. */
export function openFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF');
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: DatabaseSync, file: string): void {
  const number = (pragma: string) => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  if (number('application_id') === applicationId && number('user_version') === migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = number('user_version');
    const isNew = version === 0 && number('schema_version') === 0;
    if (!isNew && number('application_id') !== applicationId) throw new Error(`${file} is not a memory of Patchbay`);
    if (version > migrations.length) throw new Error(`${file} was written by a newer Patchbay`);
    for (const step of migrations.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
