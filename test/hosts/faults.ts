import { setTimeout as sleep } from 'node:timers/promises';
import { numbers } from '../crash/chance.ts';
import type { PostgresServer } from '../postgres.ts';
import { effortsIn, underWay } from './effects.ts';
import type { Member } from './member.ts';
import type { Network } from './network.ts';

const kinds = ['kill', 'freeze', 'cut', 'database'] as const;
export type FaultKind = (typeof kinds)[number];

/** What is to go wrong. */
export interface Planned {
  readonly kind: FaultKind;
  /** Which host it happens to; all of them, where it is the database. */
  readonly host: number;
  /** How long it is before it is mended. */
  readonly lastsMs: number;
  /** How long nothing happens before it. */
  readonly calmMs: number;
}

/** What went wrong. */
export interface Fault {
  readonly kind: FaultKind;
  /** The host and the life of it that it happened to; undefined where it happened to all. */
  readonly host: string | undefined;
  readonly pid: string | undefined;
  readonly from: number;
  readonly until: number;
}

/** Shorter than what peers have patience for, and longer. In milliseconds: at least, and by how much more at most. */
const spans: Readonly<Record<FaultKind, readonly (readonly [number, number])[]>> = {
  kill: [[500, 8000]],
  freeze: [
    [14_000, 5000],
    [500, 3000],
  ],
  cut: [
    [14_000, 5000],
    [500, 3000],
  ],
  database: [[500, 3500]],
};

/** A plan by chance: of every four, one of each kind; of those that may last, every third is too short to matter. */
export function planOf(count: number, hosts: number): Planned[] {
  const chance = numbers(count * 4, 1_000_000, 8);
  const next = (end: number) => (chance.pop() ?? 0) % end;
  let left: FaultKind[] = [];
  return Array.from({ length: count }, (_, i) => {
    if (left.length === 0) left = [...kinds];
    const [kind = 'kill'] = left.splice(next(left.length), 1);
    const [least, more] = spans[kind].at(Math.floor(i / kinds.length) % 3 === 2 ? -1 : 0) ?? [0, 1];
    return { kind, host: next(hosts), lastsMs: least + next(more), calmMs: 500 + next(2500) };
  });
}

/** Where things go wrong. */
export interface Place {
  readonly members: readonly Member[];
  readonly network: Network;
  readonly server: PostgresServer;
  readonly effects: string;
}

/** Has a fault happen while its victim is in the middle of something, if it ever is, and mends it. */
export async function suffer(planned: Planned, place: Place): Promise<Fault> {
  const { kind, lastsMs } = planned;
  const member = place.members[planned.host] as Member;
  const whose = kind === 'database' ? {} : { host: member.name, pid: member.pid };
  await midTurn(member, place.effects);
  const { mend, from } = await begin(planned, member, place);
  await sleep(lastsMs);
  await mend();
  return { kind, host: undefined, pid: undefined, ...whose, from, until: Date.now() };
}

async function begin({ kind, host }: Planned, member: Member, { network, server }: Place) {
  switch (kind) {
    case 'kill':
      await member.kill();
      return { from: Date.now(), mend: () => member.start() };
    case 'freeze':
      member.signal('SIGSTOP');
      return { from: Date.now(), mend: async () => member.signal('SIGCONT') };
    case 'cut':
      network.cut(host);
      return { from: Date.now(), mend: async () => network.heal(host) };
    case 'database': {
      const from = Date.now();
      await server.stop('QUIT');
      return { from, mend: () => server.start() };
    }
  }
}

async function midTurn(member: Member, effects: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (underWay(effortsIn(effects), member.pid).length > 0) return;
    await sleep(25);
  }
}
