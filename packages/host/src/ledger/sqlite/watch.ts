import type { DatabaseSync } from 'node:sqlite';

/** How often to look whether another process has written: reads a few bytes of shared memory. */
const lookEveryMs = 50;

/** Prepares to call somebody when another process has written. What it gives is the undo. */
export function watching(db: DatabaseSync): (hear: () => void) => () => void {
  const dataVersion = db.prepare('PRAGMA data_version');
  const version = () => dataVersion.get()?.['data_version'];
  return (hear) => {
    let seen = version();
    const look = () => {
      const now = version();
      if (now === seen) return;
      seen = now;
      hear();
    };
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  };
}
