export { defaultLimits, type Limits } from './policy.ts';
export { builtins, parseSource, type Source, sourceText } from './source.ts';
export { type Resolved, type Staged, type StageOptions, stage } from './stage.ts';
