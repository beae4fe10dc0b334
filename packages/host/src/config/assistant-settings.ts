import type { ToolTrait } from 'patchbay-sdk';
import type { Casting } from './project.ts';

/** What the project says of its assistant side; see docs/assistant.md. */
export interface AssistantSettings {
  /** How the assistant calls itself. @default Patchbay */
  readonly name: string;
  /** The channel of workspaces that name none. @default terminal */
  readonly channel: string;
  /** How many messages are worked on at once, over all workspaces. @default 4 */
  readonly atOnce: number;
  /** By folder, as they stand there: specs of plugins lie below. */
  readonly workspaces: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly services: ServiceSettings;
  /** By name, as they stand there: specs of plugins lie below; see the MCP supervisor. */
  readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly container: ContainerSettings;
}

/** How a call of a tool is let through. */
export type Tier = 'always-approve' | 'rules-engine' | 'human-approval';

/** What the project says of the tools of plugins and servers. */
export interface ServiceSettings {
  /** Of what is not named in `tools`. @default human-approval, but for the memory of the turn's own workspace */
  readonly tier: Tier;
  /** Calls in any 60 minutes, all tools together; null for as many as there are. @default 600 */
  readonly perHour: number | null;
  /** The same for each tool that says nothing itself. @default null */
  readonly perToolPerHour: number | null;
  /** By name, `*` in it for any text; the most exact one counts. */
  readonly tools: Readonly<Record<string, ToolSettings>>;
  /** For the tier `rules-engine`: the first that matches decides; none does: a person is asked. */
  readonly rules: readonly Rule[];
  /** How long a person may take to decide. @default 15 minutes */
  readonly approvalMs: number;
  /** How long a handler may take. @default 60 seconds */
  readonly handlerMs: number;
}

/** What is said of a tool. */
export interface ToolSettings {
  readonly enabled?: boolean;
  readonly tier?: Tier;
  readonly perHour?: number;
  /** In the place of what its plugin says. */
  readonly traits?: readonly ToolTrait[];
}

/** Decides about calls that it matches: by all that it names. */
export interface Rule {
  readonly name?: string;
  /** `*` in it for any text. */
  readonly tool?: string;
  readonly workspace?: string;
  /** Regular expressions that arguments match, by their path with dots between; what is no text is matched as JSON. */
  readonly args?: Readonly<Record<string, string>>;
  /** What the chat has seen. */
  readonly taint?: readonly ('private' | 'untrusted')[];
  readonly decision: 'allow' | 'ask' | 'refuse';
}

/** Where programs of agents run. */
export interface ContainerSettings {
  /** The runtime by name; null for the first that is available here: bubblewrap, podman, docker, apple. */
  readonly runtime: string | null;
  readonly image: string | null;
}

/** A workspace, as specs of plugins and the project make it. */
export interface AssistantWorkspace {
  /** Its name: that of its folder in `workspaces/`, and of its group in a memory. */
  readonly folder: string;
  /** As people see it. @default the folder */
  readonly name: string;
  /** The chats that are its own, each `CHANNEL:…`. @default `terminal:FOLDER` */
  readonly chats: readonly string[];
  /** Whose messages are taken; null for everybody's. */
  readonly senders: readonly string[] | null;
  /** Who plays the assistant; null for whoever plays roles in this project. */
  readonly core: Casting | null;
  /** As the document of Pynchy has it; null if nothing is said. */
  readonly skills: readonly string[] | null;
  /** The MCP servers that it may use, by name, or name.instance. @default none */
  readonly mcpServers: readonly string[];
  /** Tools that it may not use, `*` in them for any text. @default none */
  readonly disabledTools: readonly string[];
  /** Whether what was said before is known to turns that answer messages. @default shared */
  readonly contextMode: 'isolated' | 'shared';
  readonly schedule: Schedule | null;
  /** Whether it works in a worktree of the project's repository rather than in a folder of its own. @default false */
  readonly repoAccess: boolean;
  readonly container: {
    readonly runtime: string | null;
    readonly image: string | null;
    /** @default host */
    readonly network: 'none' | 'host';
    readonly mounts: readonly { readonly from: string; readonly to: string; readonly readOnly: boolean }[];
    readonly cpus: number | null;
    readonly memoryMb: number | null;
    readonly pids: number | null;
  };
}

/** When a workspace is given its prompt by itself. */
export interface Schedule {
  /** A cron expression of five or six fields. */
  readonly cron: string;
  /** By its IANA name. @default that of the machine */
  readonly timezone: string | null;
  readonly prompt: string;
  /** Whether the turn knows what was said before, and the chat of what it says. @default isolated */
  readonly contextMode: 'isolated' | 'shared';
  /** What of the times that passed while no host was there: none of them, or one for all. @default skip */
  readonly missed: 'skip' | 'once';
  /** What if the last one is still under way: nothing, or this one after it. @default skip */
  readonly overlap: 'skip' | 'queue';
}
