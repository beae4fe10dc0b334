type Fields = Readonly<Record<string, unknown>>;

/** Something that took its time. */
export interface SpanFacts {
  /** What it is called in its trace: the same whenever it is told. */
  readonly id: string;
  readonly name: string;
  /** The run whose trace it is in; what is of no run is a trace of its own. */
  readonly trace: string;
  /** What it is a part of; null for the whole. */
  readonly parent: string | null;
  readonly from: Date;
  readonly to: Date;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** What went wrong; null if nothing did. */
  readonly error: string | null;
}

/** So many turns and runs are remembered that were begun and not ended. */
const mostBegun = 10_000;

/** Makes spans of events: a run, its turns, the tools they call, and the hooks that are told. */
export class Spans {
  /** When what is not ended yet was begun. */
  readonly #begun = new Map<string, string>();

  /** What an event brings to its end; undefined if nothing. */
  take(event: Fields): SpanFacts | undefined {
    const { event: type, run_id, turn_id, attempt, at } = event as Record<string, string | undefined>;
    if (type === undefined || at === undefined) return undefined;
    const turn = `${run_id}/${turn_id}/${attempt}`;
    switch (type) {
      case 'run:started':
        this.#begin(`run ${run_id}`, at);
        return undefined;
      case 'turn:dispatched':
        this.#begin(`turn ${turn}`, at);
        return undefined;
      case 'turn:submitted':
      case 'turn:failed':
        return this.#turn(event, turn, at);
      case 'run:completed':
      case 'run:held':
      case 'run:failed':
      case 'run:aborted':
        return this.#run(event, type, at);
      case 'agent:trace':
        return event['trace_type'] === 'tool_use' ? this.#tool(event, at) : undefined;
      default:
        return undefined;
    }
  }

  #begin(id: string, at: string): void {
    this.#begun.set(id, at);
    for (const oldest of this.#begun.keys()) {
      if (this.#begun.size <= mostBegun) break;
      this.#begun.delete(oldest);
    }
  }

  #end(id: string, otherwise: string): Date {
    const at = this.#begun.get(id) ?? otherwise;
    this.#begun.delete(id);
    return new Date(at);
  }

  #run(event: Fields, type: string, at: string): SpanFacts {
    const run = String(event['run_id']);
    const summary = event['run_summary'] as { phases?: { started_at: string }[]; turns?: number } | undefined;
    const status = type.slice('run:'.length);
    return {
      id: `run ${run}`,
      name: `run ${event['template'] ?? ''}`.trim(),
      trace: run,
      parent: null,
      from: this.#end(`run ${run}`, summary?.phases?.[0]?.started_at ?? at),
      to: new Date(at),
      attributes: {
        'patchbay.run_id': run,
        'patchbay.template': String(event['template'] ?? ''),
        'patchbay.status': status,
        'patchbay.turns': summary?.turns ?? 0,
      },
      error: status === 'completed' ? null : String(event['reason'] ?? status),
    };
  }

  #turn(event: Fields, turn: string, at: string): SpanFacts {
    const run = String(event['run_id']);
    const { error } = event as { error?: { message?: string } | string };
    const failure = typeof error === 'object' ? error.message : error;
    return {
      id: `turn ${turn}`,
      name: `turn ${event['role'] ?? ''}`.trim(),
      trace: run,
      parent: `run ${run}`,
      from: this.#end(`turn ${turn}`, at),
      to: new Date(at),
      attributes: {
        'patchbay.run_id': run,
        'patchbay.turn_id': String(event['turn_id']),
        'patchbay.role': String(event['role'] ?? ''),
        'patchbay.phase': String(event['phase'] ?? ''),
        'patchbay.attempt': Number(event['attempt'] ?? 1),
      },
      error: event['event'] === 'turn:failed' ? (failure ?? 'failed') : null,
    };
  }

  /** A call of a tool, by what is written down of it; of the attempt that is under way. */
  #tool(event: Fields, at: string): SpanFacts {
    const data = event['data'] as Fields;
    const run = text(event['run_id']);
    const id = `tool ${data['request_id'] ?? event['event_id']}`;
    const began = `turn ${run}/${event['turn_id']}/`;
    const turn = [...this.#begun.keys()].findLast((key) => key.startsWith(began));
    const to = new Date(at);
    return {
      id,
      name: `tool ${data['tool'] ?? ''}`.trim(),
      trace: run ?? id,
      parent: turn ?? (run === null ? null : `run ${run}`),
      from: new Date(to.getTime() - (typeof data['ms'] === 'number' ? data['ms'] : 0)),
      to,
      attributes: {
        'patchbay.tool': String(data['tool'] ?? ''),
        'patchbay.decision': String(data['decision'] ?? ''),
        'patchbay.chat': String(event['chat_jid'] ?? ''),
      },
      error: data['ok'] === false ? String(data['error'] ?? 'failed') : null,
    };
  }
}

/** A handler that was called for an event. */
export function deliverySpan(delivery: Fields): SpanFacts | undefined {
  const { id, plugin, handler, event, status, settled_at, duration_ms, run_id, message } = delivery;
  if (typeof settled_at !== 'string' || typeof id !== 'string') return undefined;
  const run = text(run_id);
  const to = new Date(settled_at);
  return {
    id: `delivery ${delivery['key']} ${delivery['attempts']}`,
    name: `hook ${event}`,
    trace: run ?? `delivery ${delivery['key']}`,
    parent: run === null ? null : `run ${run}`,
    from: new Date(to.getTime() - (typeof duration_ms === 'number' ? duration_ms : 0)),
    to,
    attributes: {
      'patchbay.plugin': String(plugin),
      'patchbay.handler': String(handler),
      'patchbay.event': String(event),
      'patchbay.delivery': id,
      'patchbay.status': String(status),
    },
    error: status === 'failed' || status === 'refused' ? String(message ?? status) : null,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
