import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnCost } from 'patchbay-sdk';
import { type Snapshot, snapshot, type Workspace, writeWhole } from '../workspaces/index.ts';
import { free, plus } from './cost.ts';
import type { RunState, Turn } from './state.ts';

type Run = Pick<RunState, 'run_id'>;
/** One attempt of a turn. */
export type Attempt = Pick<Turn, 'turn_id' | 'attempt'>;

/** What a host is told of a turn that another one has worked on. */
export interface Adopted {
  /** The tree before its first attempt. */
  readonly beginning: string;
  /** The text of its result, if that was good. */
  readonly result: string | null;
}

/** What is kept of turns while their run goes on, in the state folder of the project. */
export class TurnFiles {
  readonly #state: string;
  /** Of turns in plain workspaces what was there before, by turn: first of its attempts, then of the last one. */
  readonly #plain = new Map<string, { readonly first: Snapshot; readonly attempt: number; readonly last: Snapshot }>();

  constructor(state: string) {
    this.#state = state;
  }

  /** The folder of a run. */
  run({ run_id }: Run): string {
    return join(this.#state, 'runs', run_id);
  }

  /** Where the folder of one attempt is, if it is. */
  place(run: Run, { turn_id, attempt }: Attempt): string {
    return join(this.run(run), 'turns', `${turn_id}-${attempt}`);
  }

  /** The folder of one attempt; it is made. */
  dir(run: Run, attempt: Attempt): string {
    const dir = this.place(run, attempt);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return dir;
  }

  /** The file that is there if the work of an attempt collided with that of others. */
  collided(run: Run, attempt: Attempt): string {
    return join(this.#kept(run, attempt), 'collided');
  }

  /** What the attempt has spent so far, by what its core told. */
  spent(run: Run, attempt: Attempt): TurnCost {
    const file = join(this.#keptPlace(run, attempt), 'spent.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TurnCost) : free;
  }

  /** Adds to it: a crash does not make it less. Gives the sum. */
  spend(run: Run, attempt: Attempt, cost: TurnCost): TurnCost {
    const sum = plus(this.spent(run, attempt), cost);
    writeWhole(join(this.#kept(run, attempt), 'spent.json'), JSON.stringify(sum));
    return sum;
  }

  /** Whether it was looked what was there before the attempt: it was worked on. */
  isBegun(run: Run, attempt: Attempt): boolean {
    return existsSync(join(this.#keptPlace(run, attempt), 'before.json'));
  }

  /** What was there before the attempt: looked up once, so that a crash in between changes nothing. */
  async before(run: Run, attempt: Attempt, ws: Workspace): Promise<Snapshot> {
    if (ws.kind === 'plain') return (await this.#beforePlain(run, attempt, ws)).last;
    const file = join(this.#kept(run, attempt), 'before.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Snapshot;
    const before = await snapshot(ws);
    const beginning = this.#beginning(run, attempt.turn_id);
    if (!existsSync(beginning)) writeWhole(beginning, before.tree);
    writeWhole(file, JSON.stringify(before));
    return before;
  }

  /** What was there before the first attempt: the later ones go on with what it left. */
  async beforeAll(run: Run, attempt: Attempt, ws: Workspace): Promise<Snapshot> {
    if (ws.kind === 'plain') return (await this.#beforePlain(run, attempt, ws)).first;
    const before = await this.before(run, attempt, ws);
    return { ...before, tree: readFileSync(this.#beginning(run, attempt.turn_id), 'utf8') };
  }

  /**
   * Takes up a turn that another host has worked on, with the result that it was handed. What earlier attempts left counts as left
   * by this one: it is within what they may write, or it would not be there.
   */
  async adopt(run: Run, attempt: Attempt, ws: Workspace, { beginning, result }: Adopted): Promise<void> {
    // What else is looked after is this host's own.
    const now = await snapshot(ws);
    writeWhole(join(this.#kept(run, attempt), 'before.json'), JSON.stringify({ ...now, tree: beginning }));
    writeWhole(this.#beginning(run, attempt.turn_id), beginning);
    if (result !== null) writeWhole(join(this.dir(run, attempt), 'result.json'), result);
  }

  /** Removes what was found out about turns, and their results: another host has gone on. Their logs stay. */
  discard(run: Run): void {
    rmSync(join(this.run(run), 'kept'), { recursive: true, force: true });
    const turns = join(this.run(run), 'turns');
    if (!existsSync(turns)) return;
    for (const name of readdirSync(turns)) rmSync(join(turns, name, 'result.json'), { recursive: true, force: true });
  }

  /** A run has ended: what is in memory of it goes. */
  forget({ run_id }: Run): void {
    for (const key of this.#plain.keys()) if (key.startsWith(`${run_id}/`)) this.#plain.delete(key);
  }

  /**
   * Not kept on the disk: that would cost more than the rest of a message. After a crash it is looked again, and what was changed
   * before it is not told.
   */
  async #beforePlain({ run_id }: Run, { turn_id, attempt }: Attempt, ws: Workspace) {
    const key = `${run_id}/${turn_id}`;
    const known = this.#plain.get(key);
    if (known?.attempt === attempt) return known;
    const last = await snapshot(ws);
    const before = { first: known?.first ?? last, attempt, last };
    this.#plain.set(key, before);
    return before;
  }

  /** What earlier attempts left is gone: the next one is the first. */
  beginAgain(run: Run, turn_id: string): void {
    rmSync(this.#beginning(run, turn_id), { force: true });
  }

  /** What the host keeps of an attempt, for itself: who works on it can change the folder of the attempt. It is made. */
  #kept(run: Run, attempt: Attempt): string {
    const dir = this.#keptPlace(run, attempt);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return dir;
  }

  #keptPlace(run: Run, { turn_id, attempt }: Attempt): string {
    return join(this.run(run), 'kept', `${turn_id}-${attempt}`);
  }

  /** Holds the tree with which a turn began. */
  #beginning(run: Run, turn_id: string): string {
    return join(this.run(run), 'kept', `${turn_id}.tree`);
  }
}
