import { messageOf } from 'patchbay-sdk';
import type { Delivery, Settlement } from '../store.ts';
import { type DeliveryStatements, type Place, placeOf } from './deliveries.ts';
import type { News } from './news.ts';

/** A delivery that is to be settled: what is written of it, and what is to be told when that is durable. */
export class Ending {
  readonly place: Place;
  readonly #settlement: Settlement;
  readonly #annotations: string | null;
  readonly #request: string | null;
  #settled: Delivery | undefined;
  #unsentOf: string | undefined;

  /** Throws `DELIVERY_UNKNOWN` if the id is none. */
  constructor(id: string, settlement: Settlement) {
    this.place = placeOf(id);
    this.#settlement = settlement;
    this.#annotations = jsonOf(settlement.annotations);
    this.#request = jsonOf(settlement.request);
  }

  /** How much of what is written can be long. */
  get characters(): number {
    return this.#request?.length ?? 0;
  }

  /** Whether it was owed. To be called inside a transaction, again if that is undone. */
  write(deliveries: DeliveryStatements, news: News, now: string): boolean {
    const { place } = this;
    const isSettled = deliveries.settle(place, this.#settlement, this.#annotations, this.#request, now);
    const isSending = isSettled && this.#settlement.status === 'sending';
    this.#settled = isSettled && news.wanted('settled') ? deliveries.read(place) : undefined;
    this.#unsentOf = isSending ? deliveries.pluginOf(place) : undefined;
    return isSettled;
  }

  tell(news: News): void {
    if (this.#settled !== undefined) news.tell('settled', this.#settled);
    if (this.#unsentOf !== undefined) news.tell('unsent', this.#unsentOf);
  }
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
