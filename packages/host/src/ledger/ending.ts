import { messageOf } from 'patchbay-sdk';
import type { News } from './news.ts';
import { readDelivery, readPlugin, type Settling, settleEach } from './statements/deliveries.ts';
import { type Place, placeOf } from './statements/place.ts';
import type { Steps } from './statements/steps.ts';
import type { Delivery, Settlement } from './store.ts';

/** A delivery that is to be settled: what is written of it, and what is to be told when that is durable. */
export class Ending implements Settling {
  readonly place: Place;
  readonly settlement: Settlement;
  readonly annotations: string | null;
  readonly request: string | null;
  #settled: Delivery | undefined;
  #unsentOf: string | undefined;

  /** Throws `DELIVERY_UNKNOWN` if the id is none. */
  constructor(id: string, settlement: Settlement) {
    this.place = placeOf(id);
    this.settlement = settlement;
    this.annotations = jsonOf(settlement.annotations);
    this.request = jsonOf(settlement.request);
  }

  /** How much of what is written can be long. */
  get characters(): number {
    return this.request?.length ?? 0;
  }

  /** What is to be told of it: what came of it, and whose request there is, as far as that is known. */
  toTell(settled: Delivery | undefined, unsentOf: string | undefined): void {
    this.#settled = settled;
    this.#unsentOf = unsentOf;
  }

  tell(news: News): void {
    if (this.#settled !== undefined) news.tell('settled', this.#settled);
    if (this.#unsentOf !== undefined) news.tell('unsent', this.#unsentOf);
  }
}

/** Gives which of them were owed. To be made inside a transaction, again if that is undone. */
export function* writeEndings(endings: readonly Ending[], news: News): Steps<readonly boolean[]> {
  const isSettled = yield* settleEach(endings, new Date().toISOString());
  const isHeard = news.wanted('settled');
  for (let i = 0; i < endings.length; i++) {
    const ending = endings[i] as Ending;
    const isSending = isSettled[i] === true && ending.settlement.status === 'sending';
    const settled = isSettled[i] === true && isHeard ? yield* readDelivery(ending.place) : undefined;
    ending.toTell(settled, isSending ? yield* readPlugin(ending.place) : undefined);
  }
  return isSettled;
}

/** What is said of a delivery must not keep it from being settled: it was made. */
function jsonOf(said: Readonly<Record<string, unknown>> | null | undefined): string | null {
  if (said == null) return null;
  try {
    return JSON.stringify(said) ?? null;
  } catch (error) {
    return JSON.stringify({ error: `cannot be written as JSON: ${messageOf(error)}` });
  }
}
