export { removeBundle, type SealedBundle, sealBundle, verifyBundle } from './bundle.ts';
export type { Change } from './change.ts';
export { type CommitText, commitTurn, type Merged, mergeTurn } from './commit.ts';
export {
  closeTurnWorkspace,
  closeWorkspace,
  type OpenWorkspace,
  openTurnWorkspace,
  openWorkspace,
  workspaceKind,
} from './open.ts';
export {
  branchIn,
  bringBranch,
  type Destination,
  dropWorkspaces,
  openParcel,
  type Packed,
  type Parcel,
  packWorkspace,
} from './parcel.ts';
export { type DiffStat, diffStat, patch } from './patch.ts';
export { type OpenPlain, openPlain } from './plain.ts';
export { restore } from './restore.ts';
export { mayWrite, outside } from './scope.ts';
export { observe, type Snapshot, snapshot } from './snapshot.ts';
export { type CommandOutput, type Verification, type VerifyOptions, verify } from './verify.ts';
export { writeWhole } from './whole.ts';
export type { Workspace } from './workspace.ts';
