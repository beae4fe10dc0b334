import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { PatchbayError } from 'patchbay-sdk';
import type { RunSettings } from '../config/project.ts';

/** Those who can prove who they are: by name, what their token is known by. */
export type Approvers = RunSettings['approvers'];

/** A new token, to be shown once, and what it is known by from then on. Of so much chance that one plain hash hides it. */
export function newToken(): { readonly token: string; readonly token_sha256: string } {
  const token = `pba_${randomBytes(32).toString('base64url')}`;
  return { token, token_sha256: hashOf(token).toString('hex') };
}

/** Demands that a token is that of the person. Throws APPROVAL_UNPROVEN, which never shows it. */
export function prove(by: string, token: string | undefined, approvers: Approvers, run: string): void {
  const unproven = (what: string, hint?: string) =>
    new PatchbayError('APPROVAL_UNPROVEN', `run ${run} ${what}`, { run, ...(hint === undefined ? {} : { hint }) });
  const known = Object.hasOwn(approvers, by) ? approvers[by] : undefined;
  if (known === undefined) {
    const hint = `Have somebody who may change the project run \`patchbay approver add ${by}\`.`;
    throw unproven(`waits for somebody with a token; ${by} has none`, hint);
  }
  if (token === undefined) throw unproven(`waits for somebody with a token; that of ${by} was not given`);
  if (!timingSafeEqual(hashOf(token), Buffer.from(known.token_sha256, 'hex'))) {
    throw unproven(`was not decided on: the token that was given is not that of ${by}`);
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token.trim()).digest();
}
