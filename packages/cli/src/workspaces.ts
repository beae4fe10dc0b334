import { collectWorkspaces, type Workspaces } from 'patchbay-host';
import { PatchbayError } from 'patchbay-sdk';
import { beside } from './carry-on.ts';
import type { Input } from './command.ts';
import { plainLine } from './width.ts';

/** The workspaces of the project. Throws PROJECT_MISSING, and PROJECT_INVALID for what is wrong in its file. */
export function workspacesOf(input: Input): Promise<Workspaces> {
  return beside(input, async ({ kernel, project }) => {
    if (project === undefined) throw new PatchbayError('PROJECT_MISSING', `there is no project in ${input.cwd}`);
    return collectWorkspaces(kernel, project.assistant);
  });
}

/** What is wrong with those that plugins bring, a line each. */
export function problemLines({ problems }: Workspaces): string[] {
  return problems.map(({ plugin, folder, message }) => {
    return plainLine(`problem with ${plugin}${folder === null ? '' : `, workspace "${folder}"`}: ${message}`);
  });
}
