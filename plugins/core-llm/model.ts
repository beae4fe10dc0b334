import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { TurnWork } from 'patchbay-sdk';
import { ProvidedModel } from './provided/model.ts';
import { providerNamed } from './provided/provider.ts';
import { builtIn, refuseAccess, type Settings } from './settings.ts';

/** The model that the settings name. Nothing is asked of it yet. Rejects if there is none. */
export async function modelOf(turn: TurnWork, settings: Settings, key: string | undefined): Promise<LanguageModel> {
  const { provider, model, base_url } = settings;
  if (!builtIn.includes(provider)) {
    const provided = await providerNamed(turn, provider);
    refuseAccess(settings);
    return new ProvidedModel(provided, model);
  }
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
