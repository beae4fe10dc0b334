/** Of inputs that are longer, people are shown the beginning; what they decide on is known by its hash. */
const mostShown = 16 * 1024;
const mostRecorded = 2048;

/** The input of a call as people see it who decide on it. */
export function shownInput(json: string): Record<string, unknown> {
  if (json.length <= mostShown) return JSON.parse(json) as Record<string, unknown>;
  return { characters: json.length, beginning: json.slice(0, mostShown) };
}

/** The beginning of an input, for the record. */
export function excerpt(json: string): string {
  return json.length <= mostRecorded ? json : `${json.slice(0, mostRecorded)}…`;
}
