/** A story card or a handoff note, as far as anybody here asks. */
export type Card = Readonly<Record<string, unknown>> | undefined;

/** The texts in a list of a card; none if it has no such list. */
export function textsOf(card: Card, key: string): string[] {
  const value = card?.[key];
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

/** Criteria without those that a story puts off. */
export function withoutDeferred(criteria: readonly string[], story: Card): string[] {
  const deferred = new Set(textsOf(story, 'deferred').map(plain));
  return criteria.filter((criterion) => !deferred.has(plain(criterion)));
}

/** Tells whether a concern was cleared before, alone or with others in one text; a line that has moved changes nothing. */
export function clearedIn(story: Card): (concern: string) => boolean {
  const cleared = new Set(textsOf(story, 'cleared').flatMap((text) => text.split('\n').map(withoutLines)));
  return (concern) => cleared.has(withoutLines(concern));
}

function withoutLines(text: string): string {
  return text.replaceAll(/:\d+(?=[:\s)]|$)/g, '').trim();
}

function plain(text: string): string {
  return text.trim().replace(/\.$/, '').replaceAll(/\s+/g, ' ').toLowerCase();
}
