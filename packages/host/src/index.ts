export { findProject, type Project, type ProjectPlugin } from './config/project.ts';
export { type Host, type HostOptions, openHost } from './host.ts';
