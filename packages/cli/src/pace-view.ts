import { type EventName, type EventPayload, sample } from 'patchbay-sdk';
import { type PaceEvent, type PaceEventRow, paceEvents, paceSample } from 'patchbay-sdk/pace';

/** Of what an event of PACE is a view, in words. */
export function viewText({ on, role, passed }: PaceEventRow): string {
  const where = role === null ? '' : ` of role ${role}`;
  return `${on.join(', ')}${where}${passed ? ' that lets the day go on' : ''}`;
}

/** The event of the host that an event of PACE might be a view of, as it might come. */
export function paceEventSample(name: PaceEvent): EventPayload<EventName> {
  const { on, role } = paceEvents[name];
  const payload = { ...sample(on[0] as EventName), template: 'pace', role };
  if (payload.event !== 'turn:submitted') return payload;
  const documents = { ...paceSample('AFTER_CONDUIT') } as Readonly<Record<string, unknown>>;
  const kind = { prime: 'story_card', forge: 'handoff' }[role as string] ?? `${role}_report`;
  const report = documents[kind] as Record<string, unknown>;
  return { ...payload, result: { ...payload.result, report } };
}
