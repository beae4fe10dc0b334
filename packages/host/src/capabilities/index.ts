export { type OpenMemory, openMemory } from './memory.ts';
export { type TunnelStatus, tunnelStatus, tunnelWarning } from './tunnels.ts';
