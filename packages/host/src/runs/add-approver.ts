import { join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { parseDocument } from 'yaml';
import { projectFileName, readProject } from '../config/project.ts';
import { changing } from '../install/project-state.ts';
import { commit, textOf } from '../install/transaction.ts';
import { newToken } from './approvers.ts';

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u;

/** Somebody who can now decide on credentialed gates. */
export interface Added {
  readonly name: string;
  /** The project file, which knows what the token is known by. */
  readonly file: string;
  /** Nobody will see it again. */
  readonly token: string;
}

/**
 * Makes a token for somebody and writes into the project file what it is known by. Throws USAGE for a name that is none or has a
 * token already, PROJECT_MISSING, PROJECT_INVALID, PROJECT_BUSY, PROJECT_WRITE.
 */
export function addApprover(cwd: string, name: string): Promise<Added> {
  if (!namePattern.test(name)) {
    const message = `${JSON.stringify(name)} is no name: letters, digits and ._@+-, a letter or digit first, at most 100`;
    throw new PatchbayError('USAGE', message);
  }
  return changing(cwd, async ({ home }) => {
    const file = join(home.dir, projectFileName);
    const before = textOf(file);
    if (before !== null && Object.hasOwn(readProject(file).runs.approvers, name)) {
      const hint = `For a new one, take runs.approvers.${name} out of ${file} first.`;
      throw new PatchbayError('USAGE', `${name} has a token already`, { file, hint });
    }
    const { token, token_sha256 } = newToken();
    const document = parseDocument(before ?? '');
    document.setIn(['runs', 'approvers', name], document.createNode({ token_sha256 }));
    commit(home.workDir, { moves: [], removes: [], writes: [{ file, before, text: document.toString() }] });
    return { name, file, token };
  });
}
