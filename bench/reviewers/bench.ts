import type { Effort } from '../measure.ts';
import { type Goal, goal, type Report, type Row } from '../report.ts';
import type { Case } from './corpus/case.ts';
import { corpus } from './corpus/corpus.ts';
import { kinds, type Reviewer, reviewers } from './kinds.ts';
import { canReview, play } from './play.ts';
import { type Scored, scored } from './score.ts';

type Part = keyof typeof corpus;

/** A case and how it went. */
interface Reviewed {
  readonly part: Part;
  readonly one: Case;
  readonly scored: Scored;
}

/** What the reviewers find of what was planted, and what else they say. */
export async function run({ rounds }: Effort): Promise<Report> {
  const every = rounds < 10 ? 3 : 1;
  const reviewed: Reviewed[] = [];
  for (const part of parts)
    for (const one of corpus[part].filter((_, at) => at % every === 0))
      reviewed.push({ part, one, scored: scored(one, await play(one)) });
  return {
    bench: 'reviewers',
    rows: [
      ...reviewers.flatMap((reviewer) => [recallOf(reviewer, reviewed), precisionOf(reviewer, reviewed)]),
      ...sizes(reviewed),
      ...reviewed.flatMap(names),
    ],
    goals: reviewers.flatMap((reviewer) => goalsOf(reviewer, reviewed)),
  };
}

const parts = Object.keys(corpus) as Part[];

/** Defects that are a reviewer's matter. */
function plantedFor(reviewer: Reviewer, reviewed: readonly Reviewed[]) {
  return reviewed
    .filter(({ one }) => canReview(reviewer, one))
    .flatMap(({ scored: { planted } }) => planted)
    .filter(({ planted: { kind } }) => kinds[kind].reviewer === reviewer);
}

/** What a reviewer has said. */
function saidBy(reviewer: Reviewer, reviewed: readonly Reviewed[]) {
  return reviewed.flatMap(({ scored: { said } }) => said).filter((concern) => concern.reviewer === reviewer);
}

function recallOf(reviewer: Reviewer, reviewed: readonly Reviewed[]): Row {
  const share = (some: readonly Reviewed[]) => {
    const planted = plantedFor(reviewer, some);
    return planted.filter(({ found }) => found).length / planted.length;
  };
  const { length } = plantedFor(reviewer, reviewed);
  return {
    case: `${reviewer}: planted defects found`,
    unit: 'share',
    ours: share(reviewed),
    peers: { of: length, ...byPart(reviewed, share) },
  };
}

function precisionOf(reviewer: Reviewer, reviewed: readonly Reviewed[]): Row {
  const share = (some: readonly Reviewed[]) => {
    const said = saidBy(reviewer, some);
    return said.filter(({ expected }) => expected).length / said.length;
  };
  const { length } = saidBy(reviewer, reviewed);
  return {
    case: `${reviewer}: concerns that are right`,
    unit: 'share',
    ours: share(reviewed),
    peers: { of: length, ...byPart(reviewed, share) },
  };
}

function byPart(reviewed: readonly Reviewed[], measure: (some: readonly Reviewed[]) => number): Record<string, number> {
  const entries = parts.map((part) => [part, measure(reviewed.filter((one) => one.part === part))] as const);
  return Object.fromEntries(entries.filter(([, value]) => !Number.isNaN(value)));
}

function sizes(reviewed: readonly Reviewed[]): Row[] {
  const clean = reviewed.filter(({ one }) => one.planted.length === 0);
  const silent = (some: readonly Reviewed[]) =>
    some.filter(({ one, scored: { said } }) => one.planted.length === 0 && said.length === 0).length;
  const planted = (some: readonly Reviewed[]) => some.filter(({ one }) => one.planted.length > 0).length;
  return [
    { case: 'cases with something planted', unit: 'cases', ours: planted(reviewed), peers: byPart(reviewed, planted) },
    {
      case: 'clean cases about which nobody says a word',
      unit: 'cases',
      ours: silent(reviewed),
      peers: { of: clean.length, ...byPart(reviewed, silent) },
    },
  ];
}

/** What went wrong in a case, by name. */
function names({ part, one, scored: { planted, said } }: Reviewed): Row[] {
  const missed = planted.filter(({ found, planted: { kind } }) => !found && canReview(kinds[kind].reviewer, one));
  const wrong = said.filter(({ expected }) => !expected);
  const row = (what: string): Row => ({ case: what, unit: 'times', ours: 1, peers: {} });
  return [
    ...missed.map(({ planted: { kind } }) => row(`missed by ${kinds[kind].reviewer} (${part}): ${one.name}`)),
    ...wrong.map(({ reviewer, said: { check, evidence } }) =>
      row(`false alarm of ${reviewer} (${part}): ${one.name}: ${check}: ${evidence.slice(0, 120)}`),
    ),
  ];
}

/** Shares that must not be over a limit, as all goals are: one less recall, one less precision. */
function goalsOf(reviewer: Reviewer, reviewed: readonly Reviewed[]): Goal[] {
  const planted = plantedFor(reviewer, reviewed);
  const said = saidBy(reviewer, reviewed);
  const missed = planted.filter(({ found }) => !found).length / planted.length;
  const wrong = said.length === 0 ? 0 : said.filter(({ expected }) => !expected).length / said.length;
  return [
    goal(`share of what was planted that ${reviewer} misses (recall at least 0.95)`, 0.05, missed),
    goal(`share of what ${reviewer} says that is a false alarm (precision at least 0.95)`, 0.05, wrong),
  ];
}
