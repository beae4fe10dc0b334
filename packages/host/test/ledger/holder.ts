/** Keeps a ledger locked for so many milliseconds, as a slow writer would. Prints a line when it has begun. */
import { DatabaseSync } from 'node:sqlite';

const [file = '', ms = '0'] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
setTimeout(() => {
  db.exec('COMMIT');
  db.close();
}, Number(ms));
