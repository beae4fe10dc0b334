import type { Casting, RunSettings } from '../../config/project.ts';

/** The variables that select a core where the project does not; the first that is set counts. */
const variables = ['PATCHBAY_AGENT_CORE', 'PYNCHY_AGENT_CORE'];

/**
 * Who plays roles that leave it open: as the workspace or the project says, or else the environment; null if nobody does. Of a
 * name that there is none of, whoever requests a run hears which there are.
 */
export function selectedCore(
  settings: Pick<RunSettings, 'core'>,
  env: Readonly<Record<string, string | undefined>>,
  workspace: Casting | null = null,
): Casting | null {
  const chosen = workspace ?? settings.core;
  if (chosen !== null) return chosen;
  const name = variables.map((variable) => env[variable]?.trim()).find((value) => value !== undefined && value !== '');
  return name === undefined ? null : { core: name, with: {} };
}
