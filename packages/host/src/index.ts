export {
  collectWorkspaces,
  type ExplainedWorkspace,
  type WorkspaceProblem,
  type Workspaces,
} from './assistant/workspaces.ts';
export { type OpenMemory, openMemory, type TunnelStatus, tunnelStatus, tunnelWarning } from './capabilities/index.ts';
export { databaseOf, databaseVariable, openProjectLedger } from './config/database.ts';
export { type Holder, holderOf } from './config/holder.ts';
export { labelsVariable } from './config/labels.ts';
export { findProject, type Project, type ProjectPlugin } from './config/project.ts';
export { apiTokenFile, ledgerFile, stateDir } from './config/state.ts';
export { workspaceFields } from './config/workspace.ts';
export { chooseRuntime, type RuntimeStatus, runtimeStatus } from './containers/choose.ts';
export {
  type BacklogItem,
  backlogOf,
  type DayAnswer,
  type DayRun,
  dayRuns,
  dollars,
  requestDay,
  spendByDay,
  standingOf,
} from './day/index.ts';
export { type Host, type HostOptions, openHost } from './host.ts';
export type { ListedHost } from './hosts/list.ts';
export { hostsOf } from './hosts/of.ts';
export {
  handleStored,
  listWebhooks,
  pauseWebhooks,
  resumeWebhooks,
  type ShownWebhook,
  startInbound,
} from './inbound/index.ts';
export { type Discovered, discover, type Found, type Quarantined } from './install/discover.ts';
export type { OpenRun } from './ledger/move/move.ts';
export { McpSupervisor, type ServerStatus, type SupervisorParts } from './mcp/index.ts';
export { type Migrated, type MigrateOptions, migrateProject, rehearseMigration } from './migrate.ts';
export { type Trial, tryHandlers } from './outbound/trial.ts';
export { type Added, addApprover } from './runs/add-approver.ts';
export { isChatRun } from './runs/chat-run.ts';
export { tokenVariable } from './runs/confinement.ts';
export { followRun, type Standing } from './runs/follow.ts';
export { type SignOfLife, signOfLife } from './runs/heartbeat.ts';
export { unlabelled } from './runs/labels.ts';
export { loadRun } from './runs/load.ts';
export { type ShownRun, shownRequest, shownRun } from './runs/shown.ts';
export type { RunState, Turn } from './runs/state.ts';
export { findTemplate, listTemplates } from './runs/template/find.ts';
export { readTroubles, type Trouble } from './runs/trouble.ts';
export { Launcher } from './sandbox/launcher.ts';
export type { Served, ServeOptions } from './serve.ts';
export type { Service } from './service.ts';
export { type Decision, type PendingCall, pendingCalls } from './services/approvals.ts';
export { decideCall } from './services/beside.ts';
export { type ListedSkill, listSkills, type SkillList } from './skills/index.ts';
