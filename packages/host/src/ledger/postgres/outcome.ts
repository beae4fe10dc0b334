import { PatchbayError } from 'patchbay-sdk';

/** What became of a change that others shared a transaction with. */
export type Outcome = { readonly value: unknown } | { readonly error: PatchbayError };

/** What an act gives, or the error of ours that it throws: then it has changed nothing. Others are thrown. */
export async function outcomeOf(act: () => unknown): Promise<Outcome> {
  try {
    return { value: await act() };
  } catch (error) {
    if (error instanceof PatchbayError) return { error };
    throw error;
  }
}
