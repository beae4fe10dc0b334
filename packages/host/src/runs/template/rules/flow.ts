import type { PhaseOutline } from '../outline.ts';
import { endWord } from './names.ts';
import type { Rule } from './rule.ts';

/** The place of the phase that follows; an unknown name, told elsewhere, counts as none: the order of the file holds. */
function following(phases: readonly PhaseOutline[], at: number): number | undefined {
  const next = phases[at]?.next?.name;
  if (next === endWord) return undefined;
  const named = next === undefined ? -1 : phases.findIndex(({ name }) => name?.name === next);
  const place = named === -1 ? at + 1 : named;
  return place < phases.length ? place : undefined;
}

/** The places that a run goes through from one on, each once. */
function wayFrom(phases: readonly PhaseOutline[], start: number): readonly number[] {
  const way: number[] = [];
  for (let at: number | undefined = start; at !== undefined && !way.includes(at); at = following(phases, at))
    way.push(at);
  return way;
}

/** A run can come to every phase. */
export const phasesAreReached: Rule = ({ phases }) => {
  const reached = wayFrom(phases, 0);
  return phases
    .filter((_, place) => !reached.includes(place))
    .map(({ path, name }) => ({ path, message: `no phase leads to ${name === undefined ? 'it' : `"${name.name}"`}` }));
};

/** A run comes to an end. */
export const phasesEnd: Rule = ({ phases }) =>
  phases.flatMap((_, start) => {
    const way = wayFrom(phases, start);
    const last = way.at(-1);
    // A circle is told once: from its first phase.
    if (last === undefined || following(phases, last) !== start || start !== Math.min(...way)) return [];
    const names = [...way, start].map((place) => phases[place]?.name?.name ?? '?');
    const back = phases[last];
    return [
      {
        path: back?.next?.path ?? back?.path ?? '',
        message: `the phases go in a circle, ${names.join(' -> ')}: such a run would never end`,
      },
    ];
  });
