import type { ServiceRequest, ServiceResponse, ToolInfo, ToolTrait } from 'patchbay-sdk';
import type { Tier } from '../config/assistant-settings.ts';

/** Where a tool comes from, for people and the record. */
export interface ToolSource {
  readonly kind: 'plugin' | 'memory' | 'server';
  /** The name of the plugin or server. */
  readonly name: string;
}

/** A tool that a turn may call, as far as policy lets it. */
export interface Tool extends ToolInfo {
  readonly source: ToolSource;
  /** What it does by its own account. */
  readonly traits: readonly ToolTrait[];
  /** How it is let through where nothing is said of it; undefined for the tier of all tools. */
  readonly usualTier: Tier | undefined;
  /** Calls it, once. What it answers is not checked yet; it may throw, or never settle. */
  run(request: ServiceRequest, signal: AbortSignal): unknown;
}

/** The tools of MCP servers, as their supervisor gives them. */
export interface ServerTools {
  /** The tools of the servers that a workspace may use; none for a turn that is in no workspace. */
  list(workspace: string | null): Promise<readonly (ToolInfo & { readonly server: string })[]>;
  /** Calls a tool by the name that it has at its server. */
  call(
    server: string,
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ServiceResponse>;
}

/** What any object fits. */
export const anyObject: Readonly<Record<string, unknown>> = { type: 'object' };

/** Names that every agent and model can be told. */
export const toolName = /^[\w-]{1,128}$/;
