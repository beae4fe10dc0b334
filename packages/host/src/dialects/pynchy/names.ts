import { type CapabilityName, capabilityHooks } from 'patchbay-sdk';

/** The hooks of Pynchy's document, and the capability that each is. */
export const documentedHooks: Readonly<Record<string, CapabilityName>> = {
  pynchy_agent_core_info: 'agentCore',
  pynchy_service_handler: 'serviceTools',
  pynchy_skill_paths: 'skills',
  pynchy_create_channel: 'channel',
  pynchy_container_runtime: 'containerRuntime',
  pynchy_tunnel: 'tunnel',
  pynchy_observer: 'observer',
  pynchy_memory: 'memory',
  pynchy_mcp_server_spec: 'mcpServers',
  pynchy_workspace_spec: 'workspace',
};

/** The capability that a method implements, by the document's name or ours; undefined if it is none. */
export function capabilityOf(method: string): CapabilityName | undefined {
  const documented = Object.hasOwn(documentedHooks, method) ? documentedHooks[method] : undefined;
  return documented ?? (Object.hasOwn(capabilityHooks, method) ? (method as CapabilityName) : undefined);
}

/** `list_keys` as TypeScript writes it: `listKeys`. */
export function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `listKeys` as the document writes it: `list_keys`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
