import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The settings of Pynchy. */
export function pynchyFile(dir: string): string {
  return join(dir, 'config.toml');
}

/**
 * Whether a folder has settings of Pynchy: a `config.toml` with one of its tables, since other programs have a file of that name
 * too. It is not read further than that.
 */
export function isPynchyProject(dir: string): boolean {
  try {
    return /^\s*\[\s*(workspaces|mcp_servers|container|plugins|agent)\s*[\].]/m.test(
      readFileSync(pynchyFile(dir), 'utf8'),
    );
  } catch {
    return false;
  }
}
