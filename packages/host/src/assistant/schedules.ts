import { readFileSync, rmSync } from 'node:fs';
import { Cron } from 'croner';
import type { AssistantWorkspace, Schedule } from '../config/assistant-settings.ts';
import type { LedgerStore } from '../ledger/index.ts';

/** What schedules are kept with. */
export interface SchedulesParts {
  readonly workspaces: readonly AssistantWorkspace[];
  /** Remembers since when each schedule is as it is: what was due before that was never missed. */
  readonly ledger: Pick<LedgerStore, 'note' | 'setNote'>;
  /** The file that remembered it until 0.1: taken over, and removed. */
  readonly oldFile: string;
  /** Gives a workspace its prompt, for the time at which it was due. Durable when it resolves; the same time twice is once. */
  readonly fire: (workspace: AssistantWorkspace, due: Date) => Promise<void>;
  /** Whether the prompt of that time was given. */
  readonly wasFired: (workspace: AssistantWorkspace, due: Date) => Promise<boolean>;
  /** Whether a workspace still works on what its schedule gave it. */
  readonly isBusy: (workspace: AssistantWorkspace) => boolean;
  /** Hears what went wrong; the next time is tried all the same. */
  readonly failed: (workspace: AssistantWorkspace, error: unknown) => void;
  /** @default the clock */
  readonly now?: () => Date;
}

/** Since when each schedule is as it is, by the folder of its workspace. */
type Since = Readonly<Record<string, { readonly schedule: string; readonly since: string }>>;

/** Under which all hosts know it. */
const noteKey = 'schedules';

interface Kept {
  readonly workspace: AssistantWorkspace;
  readonly schedule: Schedule;
  readonly cron: Cron;
  next: Date | null;
}

/** Timers must not be longer, and a clock that is put forward is noticed by then. */
const longestTimerMs = 60_000;
/** A prompt that is so late was missed: the machine slept, or no host was there. */
const lateMs = 90_000;

/** Gives workspaces their prompts by the clock, each time once, with one timer for all of them. */
export class Schedules {
  readonly #parts: SchedulesParts;
  readonly #kept: readonly Kept[];
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: SchedulesParts) {
    this.#parts = parts;
    const now = this.#now();
    this.#kept = parts.workspaces.flatMap((workspace) => {
      const { schedule } = workspace;
      if (schedule === null) return [];
      const { cron: pattern, timezone } = schedule;
      const cron = new Cron(pattern, { paused: true, ...(timezone === null ? {} : { timezone }) });
      return [{ workspace, schedule, cron, next: cron.nextRun(now) }];
    });
  }

  /** Makes up for what was missed, as each schedule wants it, and goes by the clock from then on. */
  async start(): Promise<void> {
    if (this.#kept.length === 0) return;
    const since = await this.#remember();
    const now = this.#now();
    for (const kept of this.#kept) {
      const [last] = kept.cron.previousRuns(1, now);
      const known = since[kept.workspace.folder]?.since ?? now.toISOString();
      const isMissed = last !== undefined && last.toISOString() > known;
      if (isMissed && kept.schedule.missed === 'once') await this.#missed(kept, last);
    }
    this.#wait();
  }

  /** When each workspace is given its prompt next; null: never. */
  get upcoming(): readonly { readonly folder: string; readonly next: Date | null }[] {
    return this.#kept.map(({ workspace, next }) => ({ folder: workspace.folder, next }));
  }

  /** Gives no more prompts; resolves when the last one is durable. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #wait(): void {
    if (this.#closed) return;
    const times = this.#kept.flatMap(({ next }) => (next === null ? [] : [next.getTime()]));
    if (times.length === 0) return;
    const inMs = Math.min(Math.max(Math.min(...times) - this.#now().getTime(), 0), longestTimerMs);
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => this.#wait());
    }, inMs);
  }

  async #look(): Promise<void> {
    const now = this.#now();
    for (const kept of this.#kept) {
      const due = kept.next;
      if (due === null || due > now) continue;
      kept.next = kept.cron.nextRun(now);
      const [last = due] = kept.cron.previousRuns(1, new Date(now.getTime() + 1000));
      const latest = last > due && last <= now ? last : due;
      if (now.getTime() - latest.getTime() <= lateMs) await this.#fire(kept, latest);
      else if (kept.schedule.missed === 'once') await this.#missed(kept, latest);
    }
  }

  async #missed(kept: Kept, due: Date): Promise<void> {
    try {
      if (await this.#parts.wasFired(kept.workspace, due)) return;
    } catch (error) {
      this.#parts.failed(kept.workspace, error);
      return;
    }
    await this.#fire(kept, due);
  }

  async #fire({ workspace, schedule }: Kept, due: Date): Promise<void> {
    if (schedule.overlap === 'skip' && this.#parts.isBusy(workspace)) return;
    try {
      await this.#parts.fire(workspace, due);
    } catch (error) {
      this.#parts.failed(workspace, error);
    }
  }

  /** Since when each schedule is as it is now. */
  async #remember(): Promise<Since> {
    const { ledger, oldFile } = this.#parts;
    const known = (await ledger.note(noteKey)) as Since | undefined;
    const before = known ?? readJson(oldFile);
    const since = this.#now().toISOString();
    const after = Object.fromEntries(
      this.#kept.map(({ workspace: { folder }, schedule }) => {
        const written = `${schedule.cron} ${schedule.timezone ?? ''}`.trim();
        const last = before[folder];
        return [folder, last?.schedule === written ? last : { schedule: written, since }] as const;
      }),
    );
    if (JSON.stringify(after) !== JSON.stringify(known)) await ledger.setNote(noteKey, after);
    rmSync(oldFile, { force: true });
    return after;
  }

  #now(): Date {
    return this.#parts.now?.() ?? new Date();
  }
}

function readJson(file: string): Since {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
