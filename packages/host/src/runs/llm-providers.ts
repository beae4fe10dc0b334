import { type Hooks, type LlmProvider, messageOf, type TurnWork } from 'patchbay-sdk';
import { type Kernel, newRecord } from '../kernel/index.ts';

/**
 * Gives the language models that plugins provide at the time. They are asked each time: the process of a plugin may have ended
 * since, and with it what was got from there. What a provider throws is without the secrets of its plugin.
 */
export function llmProvidersOf(
  kernel: Kernel<Hooks>,
  hideOf: (plugin: string) => (text: string) => string,
): TurnWork['llmProviders'] {
  return async () => {
    const record = newRecord();
    const providers = await kernel.call('llmProvider', {}, { record });
    return providers.map((provider) => {
      const plugin = record.answers.find(({ answer }) => answer === provider)?.plugin ?? '';
      return { plugin, ...discreet(provider, hideOf(plugin)) };
    });
  };
}

function discreet(provider: LlmProvider, hide: (text: string) => string): LlmProvider {
  return {
    name: provider.name,
    generate: async (request, options) => {
      try {
        return await provider.generate(request, options);
      } catch (error) {
        throw new Error(hide(messageOf(error)));
      }
    },
  };
}
