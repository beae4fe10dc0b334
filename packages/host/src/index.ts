export { findProject, type Project, type ProjectPlugin } from './config/project.ts';
export { ledgerFile } from './config/state.ts';
export { type Host, type HostOptions, openHost } from './host.ts';
export { type Discovered, discover, type Found, type Quarantined } from './install/discover.ts';
export { type Trial, tryHandlers } from './outbound/trial.ts';
export { Launcher } from './sandbox/launcher.ts';
export type { Service } from './service.ts';
