import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that is there whole or not at all, whenever the host dies. By default only its owner can read it. */
export function writeWhole(file: string, text: string, mode = 0o600): void {
  writeFileSync(`${file}.next`, text, { flush: true, mode });
  renameSync(`${file}.next`, file);
}
