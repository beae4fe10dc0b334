import type { LanguageModelUsage } from 'ai';
import type { Settings } from './settings.ts';

/** What the steps of a turn have cost, by the price that the settings name. */
export function costOf(steps: readonly { readonly usage: LanguageModelUsage }[], { price }: Settings) {
  const input_tokens = steps.reduce((sum, { usage }) => sum + (usage.inputTokens ?? 0), 0);
  const output_tokens = steps.reduce((sum, { usage }) => sum + (usage.outputTokens ?? 0), 0);
  return { input_tokens, output_tokens, usd: (input_tokens * price.input + output_tokens * price.output) / 1e6 };
}
