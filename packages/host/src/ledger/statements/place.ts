import { PatchbayError } from 'patchbay-sdk';

/** The place of a delivery: its event's, and its number among what that event owes. */
export interface Place {
  readonly seq: number;
  readonly n: number;
}

/** The place that an id says. Throws `DELIVERY_UNKNOWN` if it says none. */
export function placeOf(id: string): Place {
  const [, seq, n] = /^(\d{1,15})\.(\d{1,9})$/.exec(id) ?? [];
  if (seq === undefined || n === undefined) throw unknownDelivery(id);
  return { seq: Number(seq), n: Number(n) };
}

/** To be thrown where there is no delivery of this id. */
export function unknownDelivery(id: string): PatchbayError {
  return new PatchbayError('DELIVERY_UNKNOWN', `there is no delivery ${id}`);
}
