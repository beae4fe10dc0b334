/** Something that is wrong with what is said of a server, and where. */
export interface Problem {
  /** As in `mcp_servers.gdrive.port`. */
  readonly path: string;
  readonly message: string;
}

/** What is said of a server, by a plugin or by the project. Null takes away what is said below. */
export interface Fields {
  readonly type?: 'docker' | 'script' | 'url' | null | undefined;
  readonly image?: string | null | undefined;
  readonly dockerfile?: string | null | undefined;
  readonly command?: string | null | undefined;
  readonly args?: readonly string[] | null | undefined;
  readonly url?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string | null>> | null | undefined;
  readonly port?: number | null | undefined;
  readonly extraPorts?: readonly number[] | null | undefined;
  readonly transport?: Transport | null | undefined;
  readonly idleTimeout?: number | null | undefined;
  readonly env?: Readonly<Record<string, string | null>> | null | undefined;
  /** Its own name of each variable, and that of the host. */
  readonly envForward?: Readonly<Record<string, string | null>> | null | undefined;
  readonly volumes?: readonly string[] | null | undefined;
}

/** How a server is spoken with. */
export type Transport = 'stdio' | 'streamable_http' | 'sse';

/** A server as it is to be run, or reached. Texts may hold placeholders: see `expand`. */
export interface ServerSpec {
  /** `gdrive`, or `gdrive.work` for an instance. */
  readonly name: string;
  readonly type: 'docker' | 'script' | 'url';
  readonly transport: Transport;
  readonly image: string | null;
  readonly dockerfile: string | null;
  readonly command: string | null;
  readonly args: readonly string[];
  /** Null for the usual address of its transport. */
  readonly url: string | null;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The one that it is to listen on; null for any. */
  readonly port: number | null;
  readonly extraPorts: readonly number[];
  /** How long nobody asks it for anything before it is stopped; null for ever. */
  readonly idleMs: number | null;
  readonly env: Readonly<Record<string, string>>;
  /** Its own name of each variable, and that of the host. */
  readonly envForward: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  /** What placeholders stand for. */
  readonly values: Readonly<Record<string, string>>;
  /** Who brings it; null if only the project speaks of it. */
  readonly plugin: string | null;
}

/** Whether it is spoken with through a port. */
export function hasPort({ type, transport }: Pick<ServerSpec, 'type' | 'transport'>): boolean {
  return type !== 'url' && transport !== 'stdio';
}
