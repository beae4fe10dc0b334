import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that is there whole or not at all, whenever the host dies. Only its owner can read it. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.next`, text, { flush: true, mode: 0o600 });
  renameSync(`${file}.next`, file);
}
