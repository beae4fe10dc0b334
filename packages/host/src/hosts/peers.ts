/**
 * What a host may have to itself: a run that it carries on, a plugin that it delivers to, a duty that one host does for all (its key
 * says which), such as talking with people.
 */
export type ClaimKind = 'run' | 'plugin' | 'duty';

/** What a host says of itself to the others. */
export interface HostFacts {
  /** What people call it. */
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  /** Whether it carries on whatever run is asked for, rather than one of its own. */
  readonly serving: boolean;
  /** Where its API is; null if it has none. */
  readonly api: string | null;
  /** How many runs it carries on at once; null if it serves none. */
  readonly atOnce: number | null;
}

/** Something that no other host has while this one has it. */
export interface Claim {
  /** Aborts when it is lost: this host cannot reach the others any more, or they have taken it for dead. */
  readonly lost: AbortSignal;
  /** Gives it back. Never throws: what cannot be given back is so when this host is gone. */
  release(): Promise<void>;
}

/** The hosts that work on the same ledger, as one of them sees it. */
export interface Peers {
  /** Whether there may be others. */
  readonly areMany: boolean;
  /** Takes something; undefined if another host has it, or if this one cannot take anything now. */
  take(kind: ClaimKind, key: string): Promise<Claim | undefined>;
  /** Whether another host has it now. Throws what the driver of the database throws. */
  isTaken(kind: ClaimKind, key: string): Promise<boolean>;
  /** Whether another host has it, by what was last heard. */
  isElsewhere(kind: ClaimKind, key: string): boolean;
  /** Whether another host carries on whatever run is asked for, by what was last heard. */
  readonly isServed: boolean;
  /** Has `hear` called when there may be something to take that another host had before. Gives the undo. */
  onFreed(hear: () => void): () => void;
  /** Says of this host what others may know. Never throws: who cannot be told now is told when it can. */
  say(facts: Partial<HostFacts>): Promise<void>;
  /** Leaves the others: all that was taken is given back. */
  close(): Promise<void>;
}

const never = new AbortController().signal;

/** For a host that has the ledger to itself: it has whatever it takes. */
export const alone: Peers = {
  areMany: false,
  take: async () => ({ lost: never, release: async () => {} }),
  isTaken: async () => false,
  isElsewhere: () => false,
  isServed: false,
  onFreed: () => () => {},
  say: async () => {},
  close: async () => {},
};
