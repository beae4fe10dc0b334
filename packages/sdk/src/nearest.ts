import { closest, distance } from 'fastest-levenshtein';

/** The known name nearest to a misspelt one, or undefined if none is near enough to be meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || name === '') return undefined;
  const best = closest(name, known);
  const allowed = Math.max(2, Math.floor(name.length / 3));
  return distance(name, best) <= allowed ? best : undefined;
}

/** `did you mean "x"?`, or the whole list when nothing is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  return known.length === 0 ? 'there are none' : `known are ${known.join(', ')}`;
}
