import type { Effort } from './effects.ts';
import type { Fault } from './faults.ts';

/** How long after it was mended a host may still not know what it has missed, and act on what it believes. */
const unawareMs = 10_000;

/** Whether a host was killed, stood still or was kept from the database while it was at this, before the turn was handed in. */
function hits(fault: Fault, { host, pid, begun }: Effort, handedIn: number): boolean {
  if (fault.host !== undefined && fault.host !== host) return false;
  if (fault.kind === 'kill') return fault.pid === pid && fault.from <= handedIn;
  return fault.from <= handedIn && begun <= fault.until + unawareMs;
}

/** What the hosts have done, beside what they say and what has happened to them. */
export interface Evidence {
  readonly efforts: readonly Effort[];
  readonly faults: readonly Fault[];
  /** When each attempt of a turn was handed in, by its key, as the ledger has it. */
  readonly handedIn: ReadonlyMap<string, number>;
  /** The keys of the turns that there must have been. */
  readonly wanted: readonly string[];
}

/** Everything about the effects of turns that no fault explains. */
export function unexplained({ efforts, faults, handedIn, wanted }: Evidence): string[] {
  const byKey = Map.groupBy(efforts, ({ key }) => key);
  const missing = wanted.filter((key) => !byKey.has(key) || !handedIn.has(key));
  const needless = [...byKey.keys()].filter((key) => !wanted.includes(key));
  const repeated = [...byKey].flatMap(([key, all]) => {
    const until = handedIn.get(key) ?? Number.POSITIVE_INFINITY;
    const sound = all.filter((one) => !faults.some((fault) => hits(fault, one, until)));
    return sound.length > 1 ? [`${key} was worked on ${all.length} times: ${all.map(shown).join('; ')}`] : [];
  });
  return [
    ...missing.map((key) => `${key} has had no effect, or was not handed in`),
    ...needless.map((key) => `${key} was not to be worked on`),
    ...repeated,
    ...tooMany(efforts, faults),
  ];
}

/** At most as many as a host, or all of them, can be at when something goes wrong. */
function tooMany(efforts: readonly Effort[], faults: readonly Fault[]): string[] {
  const most = faults.reduce((sum, { host }) => sum + (host === undefined ? hosts * runsAtOnce : runsAtOnce), 0);
  const repeated = repetitions(efforts).length;
  return repeated > most ? [`${repeated} turns were worked on again; ${faults.length} faults explain ${most}`] : [];
}

const hosts = 3;
const runsAtOnce = 4;

/** Efforts on what somebody had begun before. */
export function repetitions(efforts: readonly Effort[]): Effort[] {
  const known = new Set<string>();
  return efforts.filter(({ key }) => known.has(key) || !known.add(key));
}

function shown({ host, pid, begun, over, isDone }: Effort): string {
  const how = over === undefined ? 'no end' : `${isDone ? 'done' : 'stopped'} after ${over - begun} ms`;
  return `${host} (${pid}) at ${new Date(begun).toISOString()}, ${how}`;
}

/** How long it took from each fault of a kind until somebody else was at what its victim had been at, in milliseconds. */
export function takeOvers(kind: Fault['kind'], { efforts, faults }: Pick<Evidence, 'efforts' | 'faults'>): number[] {
  return faults
    .filter((fault) => fault.kind === kind)
    .flatMap((fault) => {
      const lost = efforts.filter(({ host, pid, begun, over }) => {
        const isVictim = fault.host === undefined || (host === fault.host && pid === fault.pid);
        return isVictim && begun <= fault.from && (over === undefined || over > fault.from);
      });
      return lost.flatMap(({ key, pid }) => {
        const next = efforts.find(
          (one) => one.key === key && one.begun > fault.from && (fault.host === undefined || one.pid !== pid),
        );
        return next === undefined ? [] : [next.begun - fault.from];
      });
    });
}

/** Such times in a line, for people. */
export function distribution(times: readonly number[]): string {
  if (times.length === 0) return 'none';
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    `${((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) / 1000).toFixed(1)} s`;
  return `${sorted.length}: min ${at(0)}, median ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}`;
}
