import type { TurnCost } from 'patchbay-sdk';

/** Of no cost. */
export const free: TurnCost = { input_tokens: 0, output_tokens: 0, usd: 0 };

/** Both together. */
export function plus(a: TurnCost, b: TurnCost): TurnCost {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    usd: a.usd + b.usd,
  };
}

/** Of each figure the greater one. */
export function most(a: TurnCost, b: TurnCost): TurnCost {
  return {
    input_tokens: Math.max(a.input_tokens, b.input_tokens),
    output_tokens: Math.max(a.output_tokens, b.output_tokens),
    usd: Math.max(a.usd, b.usd),
  };
}
