import type { Inbound, InboundOptions, InboundParts } from './inbound.ts';
import type { listWebhooks as list } from './overview.ts';

export type { Inbound, InboundOptions, InboundParts } from './inbound.ts';
export type { InboundLimits } from './limits.ts';
export type { ShownWebhook } from './overview.ts';
export { pauseWebhooks, resumeWebhooks } from './pauses.ts';

// The rest is loaded when it is needed: most commands serve nobody.

/** See `startInbound` in inbound.ts. */
export async function startInbound(options: InboundOptions): Promise<Inbound> {
  return (await import('./inbound.ts')).startInbound(options);
}

/** See `handleStored` in inbound.ts. */
export async function handleStored(parts: InboundParts): Promise<void> {
  return (await import('./inbound.ts')).handleStored(parts);
}

/** See `listWebhooks` in overview.ts. */
export async function listWebhooks(...args: Parameters<typeof list>): ReturnType<typeof list> {
  return (await import('./overview.ts')).listWebhooks(...args);
}
