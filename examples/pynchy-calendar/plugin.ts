import { join } from 'node:path';
import type { PynchyPlugin, ServiceHandler } from 'patchbay-sdk/pynchy';

interface Entry {
  readonly id: number;
  readonly title: string;
  readonly at: string;
}

/** Provides calendar tools and a skill that says how to use them. A real one would talk to a calendar server. */
export default class CalendarPlugin implements PynchyPlugin {
  readonly #entries: Entry[] = [];
  #last = 0;

  pynchy_service_handler() {
    return {
      tools: {
        list_calendar: this.#list,
        create_event: {
          handler: this.#create,
          description: 'Puts something into the calendar.',
          input_schema: {
            type: 'object',
            properties: { title: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
            required: ['title', 'at'],
          },
        },
        delete_event: this.#delete,
      },
    };
  }

  pynchy_skill_paths() {
    return [join(import.meta.dirname, 'skills', 'calendar')];
  }

  readonly #list: ServiceHandler = async () => ({ result: this.#entries });

  readonly #create: ServiceHandler = async ({ title, at }) => {
    const entry = { id: ++this.#last, title: String(title), at: String(at) };
    this.#entries.push(entry);
    return { result: entry };
  };

  readonly #delete: ServiceHandler = async ({ id }) => {
    const index = this.#entries.findIndex((entry) => entry.id === id);
    if (index === -1) return { error: `there is no entry ${String(id)}` };
    return { result: this.#entries.splice(index, 1)[0] };
  };
}
