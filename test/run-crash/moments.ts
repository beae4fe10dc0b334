/**
 * Of how many moments of a kind a run is killed, evenly: most of those before and after a step of it; the moments before and after
 * an effect are mostly the same ones again, told by the steps around it.
 */
const enough: readonly (readonly [RegExp, number])[] = [
  [/^(?:before|after) append /, 20],
  [/^(?:before|after|during) (?:core|settle)|^before git (?:commit|merge)-tree|^empty before\.json/, 2],
  // What stands in the bundle, and what is written anew whenever a workspace is opened, is all alike.
  [/^empty (?:alternates|decisions\.json|goal\.md|mandate\.md|objections\.json)/, 0],
  [/^before git (?:read-tree|unpack-objects|update-ref|symbolic-ref)/, 0],
  [/^/, 1],
];

/** The kind of a moment: what it is about, without whose. */
function kindOf(moment: string): string {
  const [kind = moment] = /^\w+ (?:git )?[\w:-]+/.exec(moment) ?? [];
  return moment.startsWith('empty') ? moment.replace(/ \(\d+\)$/, '') : kind;
}

/** Of the moments of a life some before and after it writes into the ledger, evenly. */
export function writing(moments: readonly string[], most: number): readonly string[] {
  const all = moments.filter((moment) => /^(?:before|after) (?:append|request|settle)\b/.test(moment));
  return evenly(all, most);
}

/** Of the moments of a life those at which it is killed, evenly; with CRASH_POINTS=all, all of them. */
export function chosen(moments: readonly string[]): string[] {
  if (process.env['CRASH_POINTS'] === 'all') return [...moments];
  return [...Map.groupBy(moments, kindOf).values()].flatMap((alike) => {
    const most = enough.find(([pattern]) => pattern.test(alike[0] ?? ''))?.[1] ?? 1;
    return evenly(alike, most);
  });
}

function evenly(moments: readonly string[], most: number): readonly string[] {
  if (moments.length <= most) return moments;
  const every = moments.length / most;
  return moments.filter((_, i) => Math.floor(i / every) > Math.floor((i - 1) / every));
}
