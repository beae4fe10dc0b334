export type { DescribedHandler, Description, IsolatedOptions, Limits, LogLine } from './options.ts';
export { IsolatedPlugin } from './plugin.ts';
