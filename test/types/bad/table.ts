import { type EventName, eventHooks, type HookRow } from 'patchbay-sdk';

const { 'turn:accepted': _, ...others } = eventHooks;

export const rows = others satisfies Record<EventName, HookRow>; // wrong: Property '"turn:accepted"' is missing
export const row = { ...eventHooks['run:held'], kind: 'chain' } satisfies HookRow; // wrong: '"chain"' is not assignable
