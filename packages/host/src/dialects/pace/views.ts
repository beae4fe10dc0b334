import { type PaceEvent, paceEvents, paceSample } from 'patchbay-sdk/pace';
import { freezeDeep } from '../../kernel/index.ts';
import type { AnyPayload, LedgerStore } from '../../ledger/index.ts';
import type { View } from './adapt.ts';
import { CatchingUp } from './catching-up.ts';
import { type DayTold, dayAfter, decisionOf, unknownDay } from './day.ts';

/** Days are runs of this template. */
const template = 'pace';
/** So many runs are remembered; those of others are read again when they are asked for. */
const most = 32;

/** What was told of a run after each of its events. */
interface Remembered {
  readonly after: Map<string, DayTold>;
  readonly last: DayTold;
  readonly seq: number;
}

/** Events of the host as PACE names them, with what is known of the day by then: folded from the ledger. */
export class Views {
  readonly #runs = new Map<string, Promise<Remembered>>();
  #ledger: LedgerStore | undefined;
  #catchingUp: CatchingUp | undefined;

  /** From now on what happened before can be looked up here; without it, an event is told as if it were of a sample day. */
  attach(ledger: LedgerStore): void {
    this.#ledger = ledger;
    this.#catchingUp = new CatchingUp(ledger);
    this.#runs.clear();
  }

  /** The view that an event of PACE is of an event of the host; undefined if it is none. */
  async of(name: PaceEvent, payload: AnyPayload): Promise<View | undefined> {
    const { on, role, passed } = paceEvents[name];
    if (payload.template !== template || payload.run_id === null) return undefined;
    if (!(on as readonly string[]).includes(payload.event) || (role !== null && payload.role !== role))
      return undefined;
    const told = await this.#told(name, payload.run_id, payload);
    if (passed && decisionOf(role ?? '', told[`${role}_report` as keyof DayTold] as never) === 'HOLD') return undefined;
    const { day_decision, ...known } = told;
    const ending = day_decision === undefined ? {} : { day_decision };
    return freezeDeep({ event: name, context: { event: name, run_id: payload.run_id, ...known, ...ending } });
  }

  /** Resolves when a plugin has been told what happened before an event. See {@link CatchingUp}. */
  async caughtUp(plugin: string, { event_id }: AnyPayload): Promise<void> {
    await this.#catchingUp?.before(plugin, event_id);
  }

  async #told(name: PaceEvent, run: string, payload: AnyPayload): Promise<DayTold> {
    if (this.#ledger === undefined) return dayAfter(sampleDay(name), payload);
    const { event_id } = payload;
    const known = (await this.#runs.get(run))?.after.get(event_id);
    if (known !== undefined) return known;
    const { after, last } = await this.#read(run);
    return after.get(event_id) ?? dayAfter(last, payload);
  }

  /** Reads on where it stopped; two who ask at once wait for each other. */
  #read(run: string): Promise<Remembered> {
    const before = this.#runs.get(run);
    const reading = (before ?? Promise.resolve(undefined)).then((remembered) => this.#fold(run, remembered));
    this.#runs.delete(run);
    this.#runs.set(run, reading);
    // What could not be read is not remembered.
    reading.catch(() => this.#runs.get(run) === reading && this.#runs.delete(run));
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > most && oldest !== undefined) this.#runs.delete(oldest);
    return reading;
  }

  async #fold(run: string, before: Remembered | undefined): Promise<Remembered> {
    const after = before?.after ?? new Map<string, DayTold>();
    let last = before?.last ?? unknownDay;
    let seq = before?.seq ?? 0;
    for await (const event of this.#ledger?.events({ run, afterSeq: seq }) ?? []) {
      seq = event.seq;
      if (!/^(?:run|turn):/.test(event.type)) continue;
      const { payload } = event;
      if (payload.event === 'run:started' && payload.resumes !== undefined && payload.resumes !== run) {
        last = (await this.#read(payload.resumes)).last;
      }
      last = dayAfter(last, payload);
      after.set(event.id, last);
    }
    return { after, last, seq };
  }
}

/** What is known of a day that nobody has begun. */
function sampleDay(name: PaceEvent): DayTold {
  const { event: _, run_id: __, ...told } = paceSample(name) as unknown as DayTold & Record<'event' | 'run_id', string>;
  return told;
}
