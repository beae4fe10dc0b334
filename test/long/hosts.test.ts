import { describe, expect, it } from 'vitest';
import { seed } from '../crash/chance.ts';
import { distribution, repetitions, returns, takeOvers, unexplained } from '../hosts/judge.ts';
import { type Outcome, play } from '../hosts/scene.ts';

/** How many runs, and how many faults: `HOSTS_RUNS=20 HOSTS_FAULTS=4` for a quick look. */
const runs = Number(process.env['HOSTS_RUNS'] ?? 200);
const faults = Number(process.env['HOSTS_FAULTS'] ?? 16);

function report(outcome: Outcome): void {
  const { network, seconds, efforts, faults: happened, told } = outcome;
  const hosts = [...Map.groupBy(efforts, ({ host }) => host)].map(([host, all]) => `${host} ${all.length}`);
  const heard = [...told].map(([what, times]) => `${what} (${times})`);
  const lines = [
    `seed ${seed}, ${network}: ${runs} runs, ${happened.length} faults, ${seconds} s`,
    `turns begun: ${efforts.length} (${hosts.join(', ')}), of them again: ${repetitions(efforts).length}`,
    `taken over after a kill: ${distribution(takeOvers('kill', outcome))}`,
    `taken over after a freeze: ${distribution(takeOvers('freeze', outcome))}`,
    `taken over after a cut: ${distribution(takeOvers('cut', outcome))}`,
    `at work again after a crash of the database: ${distribution(returns(outcome))}`,
    `people were told: ${heard.join(', ')}`,
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

describe('three hosts on one database', () => {
  it('settle every run, each effect once but where its worker was lost, whatever goes wrong', async () => {
    const outcome = await play({ runs, faults });
    report(outcome);
    const { runs: counts, wasted, isSound, ended, torn } = outcome;
    expect({ counts, wasted, isSound, ended, torn }).toEqual({
      counts: { completed: runs },
      wasted: [],
      isSound: true,
      ended: [],
      torn: [],
    });
    expect(unexplained(outcome)).toEqual([]);
    // A bound for what hangs: on a machine of its own it takes a few minutes.
  }, 1_800_000);
});
