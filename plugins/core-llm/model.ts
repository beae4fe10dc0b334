import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { Settings } from './settings.ts';

/** The model that the settings name. Nothing is asked of it yet. */
export function modelOf({ provider, model, base_url }: Settings, key: string | undefined): LanguageModel {
  if (provider === 'anthropic') {
    // Said here, because the library would take it, and the key, from the environment otherwise.
    const baseURL = base_url ?? 'https://api.anthropic.com/v1';
    return createAnthropic({ baseURL, apiKey: key ?? '', fetch: direct })(model);
  }
  const access = key === undefined ? {} : { apiKey: key };
  return createOpenAICompatible({ name: 'llm', baseURL: base_url ?? '', ...access, fetch: direct }).chatModel(model);
}

/** A redirect would take the key and the work to somebody whom nobody has named. */
const direct: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' });
