/**
 * One way to do what is measured, called over and over. It is told which of four hooks to call: the first, or each in
 * turn. A host has many hooks; with only one, the engine inlines more than it could in most programs.
 */
export type Candidate = (k: number) => unknown;

/** Four of what a candidate works on. */
export function four<T>(make: () => T): [T, T, T, T] {
  return [make(), make(), make(), make()];
}

/** How long to measure: `quick` only shows that the benchmark still runs. */
export interface Effort {
  readonly rounds: number;
  /** Milliseconds that one candidate gets in one round. */
  readonly slice: number;
}

export const thorough: Effort = { rounds: 41, slice: 4 };
export const quick: Effort = { rounds: 3, slice: 1 };

type Harness = (n: number) => number | Promise<number>;

/** How candidates are called. */
export interface How {
  readonly isAsync?: boolean;
  /** Four hooks in turn instead of one. */
  readonly inTurn?: boolean;
}

let made = 0;

/**
 * A timed loop of its own for each candidate, with a source text of its own: loops that shared one would share the
 * engine's type feedback, and the first candidate measured would be favoured.
 */
function harness(candidate: Candidate, { isAsync = false, inTurn = false }: How): Harness {
  const source = `// ${made++}
return ${isAsync ? 'async' : ''} (n) => {
  let last;
  const start = process.hrtime.bigint();
  for (let i = 0; i < n; i++) last = ${isAsync ? 'await' : ''} call(${inTurn ? 'i & 3' : '0'});
  const taken = Number(process.hrtime.bigint() - start);
  if (last === harness) throw new Error('impossible, but the engine cannot know');
  return taken;
};`;
  return new Function('call', 'harness', source)(candidate, harness) as Harness;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** What a candidate took. */
export interface Taken {
  /** Nanoseconds per call, the median of the rounds. */
  readonly ns: number;
  /** Its ratio to the first candidate, the median of the ratios within each round. */
  readonly ratio: number;
}

/**
 * Measures candidates side by side: every round gives each a slice, in turn, starting with another one each time, so
 * that whatever the machine does meets all of them. The first candidate is the floor.
 */
export async function compare(
  candidates: Readonly<Record<string, Candidate>>,
  { rounds, slice }: Effort,
  how: How = {},
): Promise<Record<string, Taken>> {
  const entries = Object.entries(candidates).map(([name, candidate]) => ({
    name,
    run: harness(candidate, how),
    n: 1,
    perCall: [] as number[],
  }));
  for (const entry of entries) {
    // Long enough for the engine to have optimised it, and for the kernel to have generated code.
    await entry.run(how.isAsync ? 3000 : 30_000);
    const probe = 2000;
    const taken = await entry.run(probe);
    entry.n = Math.max(10, Math.round((slice * 1e6) / (taken / probe)));
  }
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < entries.length; k++) {
      const entry = entries[(k + round) % entries.length];
      if (entry !== undefined) entry.perCall.push((await entry.run(entry.n)) / entry.n);
    }
  }
  const floor = entries[0]?.perCall ?? [];
  return Object.fromEntries(
    entries.map(({ name, perCall }) => [
      name,
      { ns: median(perCall), ratio: median(perCall.map((ns, i) => ns / (floor[i] ?? Number.NaN))) },
    ]),
  );
}

/** Bytes of heap that one call leaves behind, measured over few enough calls that nothing is collected meanwhile. */
export function bytesPerCall(candidate: Candidate): number {
  const run = harness(candidate, {});
  run(30_000);
  const n = 20_000;
  const tries = Array.from({ length: 5 }, () => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    run(n);
    return (process.memoryUsage().heapUsed - before) / n;
  });
  return Math.max(0, median(tries));
}
