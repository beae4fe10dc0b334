export type { ArtifactHeads, ArtifactStore, Artifacts } from './artifacts.ts';
export { sha256Of, verified } from './artifacts.ts';
export { openArtifacts } from './open.ts';
