export { CliRunner, type ContainerRunner, type ServerContainer } from './containers.ts';
export type { ServerState, ServerStatus } from './server.ts';
export { McpSupervisor, type SupervisorParts } from './supervisor.ts';
