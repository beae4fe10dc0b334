import type { Effort } from './effects.ts';
import type { Fault } from './faults.ts';
import { runsAtOnce } from './member.ts';

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
  /** How many hosts there are. */
  readonly hosts: number;
}

/** Everything about the effects of turns that no fault explains. */
export function unexplained({ efforts, faults, handedIn, wanted, hosts }: Evidence): string[] {
  const byKey = Map.groupBy(efforts, ({ key }) => key);
  const missing = wanted.filter((key) => !byKey.has(key) || !handedIn.has(key));
  const needless = [...byKey.keys()].filter((key) => !wanted.includes(key));
  const repeated = [...byKey].flatMap(([key, all]) => {
    const until = handedIn.get(key) ?? Number.POSITIVE_INFINITY;
    const sound = all.filter((one) => !faults.some((fault) => hits(fault, one, until)));
    // Nobody who has lost a turn hands it in: whoever has it then is still at it.
    const robbed = sound.filter(({ over, isDone }) => handedIn.has(key) && !(isDone && (over ?? until) <= until));
    const how = all.map(shown).join('; ');
    return [
      ...(sound.length > 1 ? [`${key} was worked on ${all.length} times: ${how}`] : []),
      ...robbed.map(({ host }) => `${key} was handed in while ${host} was at it: ${how}`),
    ];
  });
  return [
    ...missing.map((key) => `${key} has had no effect, or was not handed in`),
    ...needless.map((key) => `${key} was not to be worked on`),
    ...repeated,
    ...tooMany(efforts, faults, hosts),
  ];
}

/** At most as many as a host, or all of them, can be at when something goes wrong. */
function tooMany(efforts: readonly Effort[], faults: readonly Fault[], hosts: number): string[] {
  const most = faults.reduce((sum, { host }) => sum + (host === undefined ? hosts * runsAtOnce : runsAtOnce), 0);
  const repeated = repetitions(efforts).length;
  return repeated > most ? [`${repeated} turns were worked on again; ${faults.length} faults explain ${most}`] : [];
}

/** Efforts on what somebody had begun before. */
export function repetitions(efforts: readonly Effort[]): Effort[] {
  const known = new Set<string>();
  return efforts.filter(({ key }) => known.has(key) || !known.add(key));
}

function shown({ host, pid, begun, over, isDone }: Effort): string {
  const how = over === undefined ? 'no end' : `${isDone ? 'done' : 'stopped'} after ${over - begun} ms`;
  return `${host} (${pid}) at ${new Date(begun).toISOString()}, ${how}`;
}

/** How long it took from each fault of a kind until another host, or another life of it, was at what its victim had begun. */
export function takeOvers(kind: Fault['kind'], { efforts, faults }: Pick<Evidence, 'efforts' | 'faults'>): number[] {
  return faults
    .filter((fault) => fault.kind === kind)
    .flatMap(({ pid, from }) => {
      const begun = efforts.filter((one) => one.pid === pid && one.begun <= from);
      return begun.flatMap(({ key }) => {
        const next = efforts.find((one) => one.key === key && one.pid !== pid && one.begun > from);
        return next === undefined ? [] : [next.begun - from];
      });
    });
}

/** How long it took, once the database was back, until hosts began with turns again. */
export function returns({ efforts, faults }: Pick<Evidence, 'efforts' | 'faults'>): number[] {
  const crashes = faults.filter(({ kind }) => kind === 'database');
  return crashes.flatMap(({ until }) => {
    const later = Map.groupBy(
      efforts.filter(({ begun }) => begun > until),
      ({ host }) => host,
    );
    return [...later.values()].flatMap(([first]) => (first === undefined ? [] : [first.begun - until]));
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
