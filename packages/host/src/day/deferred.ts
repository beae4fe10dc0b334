import type { LedgerStore } from '../ledger/index.ts';
import type { DayRun } from './days.ts';
import type { DocumentOf } from './documents.ts';

/** The criteria that shipped days have left for another day, and no later one has taken up. */
export async function deferredBy(ledger: LedgerStore, shipped: readonly DayRun[]): Promise<readonly string[]> {
  let open: string[] = [];
  for (const run of shipped) {
    const card = await storyOf(ledger, run);
    if (card === undefined) continue;
    const left = [...open, ...(card.deferred ?? [])].filter((text) => !card.acceptance_criteria.includes(text));
    open = [...new Set(left)];
  }
  return open;
}

async function storyOf(ledger: LedgerStore, run: DayRun): Promise<DocumentOf<'story_card'> | undefined> {
  const { run_id, template } = run;
  let card: DocumentOf<'story_card'> | undefined;
  for await (const { payload } of ledger.events({ run: run_id })) {
    if (payload.event === 'run:started') card = carriedCard(payload.config_summary) ?? card;
    if (payload.event !== 'turn:accepted') continue;
    if (template.roles[payload.role ?? '']?.report !== 'story_card') continue;
    card = payload.result.report as DocumentOf<'story_card'>;
  }
  return card;
}

/** One that was resumed after its story was written has it from the run before. */
function carriedCard(config: Readonly<Record<string, unknown>>): DocumentOf<'story_card'> | undefined {
  const { carried } = config as { carried?: { documents?: { story_card?: { report?: unknown } } } };
  return carried?.documents?.story_card?.report as DocumentOf<'story_card'> | undefined;
}
