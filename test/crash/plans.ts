import type { Service } from 'patchbay-host';
import { sample } from 'patchbay-sdk';

/** What a host emits. */
interface Emitting {
  /** So many events at once. */
  readonly atOnce: number;
  emit(service: Service, number: number): ReturnType<Service['emit']>;
}

/** One in so many events goes to a script: a process for each would take most of the time. */
const scriptEvery = 40;

/** The id of an event, which is that of its run as well: the same in every life of the host. */
function idOf(number: number): string {
  return `event-${String(number).padStart(5, '0')}`;
}

/** What hosts in these tests emit, by name. */
export const plans = {
  watched: {
    atOnce: 64,
    emit: (service, number) => {
      const ids = { event_id: idOf(number), run_id: idOf(number) };
      return number % scriptEvery === 0
        ? service.emit('turn:rejected', { ...sample('turn:rejected'), ...ids })
        : service.emit('turn:accepted', { ...sample('turn:accepted'), ...ids });
    },
  },
  awaited: {
    atOnce: 1,
    emit: (service, number) => {
      const ids = { event_id: idOf(number), run_id: idOf(number) };
      return service.emit('turn:dispatched', { ...sample('turn:dispatched'), ...ids });
    },
  },
} satisfies Record<string, Emitting>;

/** The name of a plan. */
export type Plan = keyof typeof plans;
