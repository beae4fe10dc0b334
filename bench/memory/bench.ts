import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteMemory } from 'plugin-memory';
import { type Effort, median } from '../measure.ts';
import { goal, type Report, type Row } from '../report.ts';
import { Documented } from './documented.ts';

interface Kept {
  readonly group: string;
  readonly key: string;
  readonly content: string;
}

/** Texts in which few words are common and most are rare, the same each time. */
function* entries(count: number, groups: number): Generator<Kept> {
  let seed = 42;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let i = 0; i < count; i++) {
    const words = Array.from({ length: 30 }, () => `w${Math.floor(5000 ** random())}`);
    yield { group: `g${i % groups}`, key: `k${i}`, content: words.join(' ') };
  }
}

type Timed = () => unknown;

async function milliseconds(act: Timed): Promise<number> {
  const start = process.hrtime.bigint();
  await act();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** Both in turn, beginning with the other one each time; the medians, and the median of the ratios. */
async function beside(rounds: number, ours: Timed, theirs: Timed) {
  const taken = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const who of order) taken[who].push(await milliseconds(who === 'ours' ? ours : theirs));
  }
  const ratio = median(taken.ours.map((ms, i) => ms / (taken.theirs[i] ?? Number.NaN)));
  return { ours: median(taken.ours), theirs: median(taken.theirs), ratio };
}

interface Pair {
  readonly ours: SqliteMemory;
  readonly theirs: Documented;
}

async function fill({ ours, theirs }: Pair, count: number, groups: number): Promise<void> {
  const byGroup = Map.groupBy(entries(count, groups), ({ group }) => group);
  for (const [group, kept] of byGroup) {
    await ours.import(
      group,
      kept.map(({ key, content }) => ({ key, content, category: 'core', metadata: null })),
    );
  }
  for (const { group, key, content } of entries(count, groups)) theirs.save(group, key, content);
}

/** Recalling, listing and saving, beside the documented design on the same data. */
export async function run({ rounds }: Effort): Promise<Report> {
  const isQuick = rounds < 10;
  const count = isQuick ? 2000 : 100_000;
  const rows: Row[] = [];
  const goals: Report['goals'][number][] = [];
  const add = (name: string, { ours, theirs, ratio }: Awaited<ReturnType<typeof beside>>, limit: number) => {
    rows.push({ case: name, ours, unit: 'ms', peers: { documented: theirs } });
    goals.push(goal(`${name} vs the documented design`, limit, ratio));
  };
  const work = mkdtempSync(join(tmpdir(), 'patchbay-bench-'));
  const open = (name: string): Pair => ({
    ours: new SqliteMemory({ dir: join(work, name) }),
    theirs: new Documented(join(work, `${name}.db`)),
  });
  const [many, one, fresh] = [open('many'), open('one'), open('fresh')];
  try {
    await fill(many, count, 50);
    await fill(one, count, 1);
    const times = isQuick ? 3 : 15;
    const groups = Array.from({ length: 10 }, (_, i) => `g${i * 5}`);
    const each = (act: (group: string) => unknown) => async () => {
      for (const group of groups) await act(group);
    };
    for (const [what, query, limit] of [
      ['the commonest word', 'w1', 0.2],
      ['five common words', 'w1 w2 w3 w4 w5', 0.2],
      ['a middling word', 'w50', 1.1],
      ['a rare word', 'w4000', 1.1],
    ] as const) {
      const name = `10 recalls of ${what}, 50 groups`;
      add(
        name,
        await beside(
          times,
          each((group) => many.ours.recall(group, query)),
          each((group) => many.theirs.recall(group, query)),
        ),
        limit,
      );
    }
    for (const query of ['w1', 'w1 w2 w3', 'w50', 'w4000']) {
      const measured = await beside(
        times,
        each(() => one.ours.recall('g0', query)),
        each(() => one.theirs.recall('g0', query)),
      );
      add(`10 recalls of "${query}", one group`, measured, 1.1);
    }
    const page = each((group) => many.ours.listKeys(group, null, { limit: 50 }));
    add(
      '10 pages of 50, 50 groups',
      await beside(
        times,
        page,
        each((group) => many.theirs.list(group)),
      ),
      0.1,
    );
    add(
      'a page of 50, one group',
      await beside(
        times,
        () => one.ours.listKeys('g0', null, { limit: 50 }),
        () => one.theirs.list('g0'),
      ),
      0.1,
    );
    const texts = [...entries(isQuick ? 100 : 300, 1)];
    let n = 0;
    const single = await beside(
      times,
      async () => {
        for (const { content } of texts) await fresh.ours.save('g0', `s${n++}`, content);
      },
      () => {
        for (const { content } of texts) fresh.theirs.save('g0', `s${n++}`, content);
      },
    );
    add(`${texts.length} saves, one after the other`, single, 1.1);
    const batch = await beside(
      times,
      () => Promise.all(texts.map(({ content }) => fresh.ours.save('g0', `b${n++}`, content))),
      () => {
        for (const { content } of texts) fresh.theirs.save('g0', `b${n++}`, content);
      },
    );
    add(`${texts.length} saves at once`, batch, 1 / 3);
    const differing = await differences(one);
    goals.push(goal('entries of one group ranked otherwise', 0, differing));
    return { bench: 'memory', rows, goals };
  } finally {
    for (const { ours, theirs } of [many, one, fresh]) {
      await ours.close();
      theirs.close();
    }
    rmSync(work, { recursive: true, force: true });
  }
}

async function differences({ ours, theirs }: Pair): Promise<number> {
  let differing = 0;
  for (const query of ['w1', 'w1 w2 w3', 'w50 w51', 'w4000', 'w7 w700 w1700']) {
    const expected = theirs.recall('g0', query, 20).map(({ key }) => key);
    const got = (await ours.recall('g0', query, null, 20)).map(({ key }) => key);
    differing += expected.filter((key, i) => got[i] !== key).length;
  }
  return differing;
}
