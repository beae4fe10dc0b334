import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PatchbayError } from 'patchbay-sdk';
import { type Artifacts, sha256Of } from '../artifacts/index.ts';
import {
  branchIn,
  bringBranch,
  dropWorkspaces,
  openParcel,
  type Packed,
  type Parcel,
  packWorkspace,
  type Workspace,
  workspaceKind,
  writeWhole,
} from '../workspaces/index.ts';
import type { RunState } from './state.ts';
import type { Adopted, Attempt, TurnFiles } from './turn-files.ts';

type Run = Pick<RunState, 'run_id'>;
type Begun = Pick<RunState, 'run_id' | 'resumes' | 'builds_on'>;

/** A parcel whose objects are stored. */
interface Stored extends Parcel {
  readonly object: string;
  readonly sha256: string;
}

/** A turn that was worked on and is not part of the run's work yet. */
interface Pending extends Adopted {
  readonly attempt: number;
  /** Its own worktree, if others work beside it. */
  readonly work: Stored | null;
}

/** What is known of the work of a run, by all hosts. */
interface Head {
  /** Another one each time. */
  readonly version: string;
  readonly run: Stored | null;
  readonly turns: Readonly<Record<string, Pending>>;
}

/** A turn and where it was worked on: `run` is the workspace of its run, `ws` its own if others work beside it, else the same. */
export interface Worked {
  readonly run: Workspace;
  readonly ws: Workspace;
  readonly turn: Attempt;
}

const nothing: Head = { version: '', run: null, turns: {} };

/**
 * Takes the work of runs from host to host. A host stores it before it writes down that there is some, and looks whether another
 * one has stored some since before it goes on. Not for work that is in a folder: hosts share that, or do not share its runs. For
 * each run, one call at a time.
 */
export class SharedWork {
  readonly #artifacts: Artifacts;
  readonly #project: string;
  readonly #files: TurnFiles;

  constructor(artifacts: Artifacts, project: string, files: TurnFiles) {
    this.#artifacts = artifacts;
    this.#project = project;
    this.#files = files;
  }

  /**
   * Has on this host what was last stored of a run; what is here stays if that is it. Of a run that begins, the branches of those
   * that it goes on with.
   */
  async fetch(run: Begun): Promise<void> {
    if (workspaceKind(this.#files.run(run)) === 'folder') return;
    const head = await this.#head(run);
    if (head !== nothing && head.version !== this.#version(run)) await this.#replace(run, head);
    // Nothing is known of it any more but what is here.
    if (head === nothing) rmSync(this.#versionFile(run), { force: true });
    if (head !== nothing || this.#isBegun(run)) return;
    for (const earlier of [run.resumes, run.builds_on]) if (earlier !== null) await this.#fetchBranch(earlier, run);
  }

  async #replace(run: Run, head: Head): Promise<void> {
    const to = this.#destination(run);
    await dropWorkspaces(to);
    this.#files.discard(run);
    rmSync(this.#versionFile(run), { force: true });
    const own = head.run === null ? undefined : await openParcel(to, null, await this.#get(run, head.run));
    for (const [turn_id, pending] of Object.entries(head.turns)) {
      const { attempt, work } = pending;
      const ws = work === null ? own : await openParcel(to, turn_id, await this.#get(run, work));
      if (ws !== undefined) await this.#files.adopt(run, { turn_id, attempt }, ws, pending);
    }
    writeWhole(this.#versionFile(run), head.version);
  }

  async #fetchBranch(earlier: string, run: Run): Promise<void> {
    const { run: stored } = await this.#head({ run_id: earlier });
    if (stored === null || stored.branch === null) return;
    if ((await branchIn(this.#project, stored.branch)) === stored.tip) return;
    await bringBranch(this.#destination(run), await this.#get({ run_id: earlier }, stored));
  }

  /** Stores what a run has accepted, in place of whatever was stored before. Rejects with RUN_MOVED and HOST_FENCED. */
  async begin(of: Run, run: Workspace): Promise<void> {
    await this.#move(of, await this.#head(of), { run: await this.#stored(of, run, [], null), turns: {} });
  }

  /** Stores a turn that was worked on, with the text of its result if that is good. Rejects with RUN_MOVED and HOST_FENCED. */
  async handIn(of: Run, { run, ws, turn }: Worked, result: string | null): Promise<void> {
    const { turn_id, attempt } = turn;
    const head = await this.#ownHead(of);
    const beginning = (await this.#files.beforeAll(of, turn, ws)).tree;
    const isApart = ws.root !== run.root;
    const known = isApart ? (head.turns[turn_id]?.work ?? null) : head.run;
    const work = await this.#stored(of, ws, [beginning], known);
    const own = isApart ? (head.run ?? (await this.#stored(of, run, [], null))) : work;
    const pending: Pending = { attempt, beginning, result, work: isApart ? work : null };
    await this.#move(of, head, { run: own, turns: { ...head.turns, [turn_id]: pending } });
  }

  /** Stores what a run has accepted; with that, or if its work was given up, the turn is over. Rejects with RUN_MOVED and HOST_FENCED. */
  async settle(of: Run, { run, turn }: Omit<Worked, 'ws'>): Promise<void> {
    const head = await this.#ownHead(of);
    const { [turn.turn_id]: _, ...turns } = head.turns;
    await this.#move(of, head, { run: await this.#stored(of, run, [], head.run), turns });
  }

  /**
   * The run has ended, and its worktrees are closed: what is stored of it stays, what only its turns needed goes. A host that was left behind
   * gets the branch as it is now, if it can be had.
   */
  async close(run: Run): Promise<void> {
    const head = await this.#head(run);
    const kept = objectsOf(head);
    await this.#remove(run, (name) => !kept.includes(name));
    if (head === nothing || head.version === this.#version(run) || !this.#isBegun(run)) return;
    await this.#fetchBranch(run.run_id, run).catch(() => {});
  }

  /** Whether there is a workspace of the run on this host, or was. */
  #isBegun(run: Run): boolean {
    return workspaceKind(this.#files.run(run)) !== undefined;
  }

  async #head({ run_id }: Run): Promise<Head> {
    const text = await this.#artifacts.heads.read(run_id);
    return text === undefined ? nothing : (JSON.parse(text) as Head);
  }

  /** The head of which this host has all. */
  async #ownHead(run: Run): Promise<Head> {
    const head = await this.#head(run);
    if (head.version === this.#version(run)) return head;
    const message = `another host has gone on with the work of run ${run.run_id}`;
    throw new PatchbayError('RUN_MOVED', message, { run: run.run_id });
  }

  /** Others see it first: whatever happens to this host then, it finds that it is not up to date, and fetches. */
  async #move(of: Run, before: Head, next: Omit<Head, 'version'>): Promise<void> {
    const head: Head = { ...next, version: randomUUID() };
    await this.#artifacts.heads.write(
      of.run_id,
      JSON.stringify(head),
      before === nothing ? undefined : JSON.stringify(before),
    );
    writeWhole(this.#versionFile(of), head.version);
    const left = objectsOf(head);
    const gone = objectsOf(before).filter((name) => !left.includes(name));
    if (gone.length > 0) await this.#remove(of, (name) => gone.includes(name));
  }

  /** What cannot be removed now goes with all that is left of the run, one day. */
  async #remove({ run_id }: Run, isGone: (name: string) => boolean): Promise<void> {
    await this.#artifacts.store.remove(run_id, isGone).catch(() => {});
  }

  /** A workspace, stored, unless it is as it was when it was stored last. */
  async #stored({ run_id }: Run, ws: Workspace, trees: readonly string[], known: Stored | null): Promise<Stored> {
    const packed = await packWorkspace(ws, trees, known);
    if (packed === undefined) return known as Stored;
    const { parcel, pack } = packed;
    const object = `work-${randomUUID()}`;
    await this.#artifacts.store.put(run_id, object, pack);
    return { ...parcel, object, sha256: sha256Of(pack) };
  }

  async #get({ run_id }: Run, { object, sha256, ...parcel }: Stored): Promise<Packed> {
    const pack = await this.#artifacts.store.get(run_id, object);
    if (pack !== undefined && sha256Of(pack) === sha256) return { parcel, pack };
    const what = pack === undefined ? 'is gone' : 'is not what was stored';
    throw new PatchbayError('ARTIFACT_CORRUPT', `the artifact "${object}" of run ${run_id} ${what}`, { run: run_id });
  }

  #destination(run: Run) {
    return { project: this.#project, run_id: run.run_id, state: this.#files.run(run) };
  }

  /** The version of the head that this host has; empty if it has none. */
  #version(run: Run): string {
    const file = this.#versionFile(run);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  #versionFile(run: Run): string {
    const dir = this.#files.run(run);
    mkdirSync(dir, { recursive: true });
    return join(dir, 'shared-version');
  }
}

function objectsOf({ run, turns }: Head): readonly string[] {
  const all = [run, ...Object.values(turns).map(({ work }) => work)];
  return all.flatMap((stored) => (stored === null ? [] : [stored.object]));
}
