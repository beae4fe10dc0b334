import type { LlmAnswer, LlmCall } from 'patchbay-sdk';
import type { Provider } from './provider.ts';
import { type CallOptions, type Model, requestOf } from './request.ts';

type Answer = Awaited<ReturnType<Model['doGenerate']>>;

/** A model of a plugin's provider, as the library wants it: what is made of its answers is the same as for any other. */
export class ProvidedModel implements Model {
  readonly specificationVersion = 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls = {};
  readonly #provider: Provider;

  constructor(provider: Provider, model: string) {
    this.#provider = provider;
    this.provider = provider.title;
    this.modelId = model;
  }

  /** Asks for an answer. Rejects as the provider does. */
  async doGenerate(options: CallOptions): Promise<Answer> {
    const { text, calls, usage } = await this.#provider.ask(requestOf(this.modelId, options));
    return {
      content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls.map(callOf)],
      finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
      usage: usageOf(usage),
      warnings: [],
    };
  }

  /** Rejects: turns are not streamed. */
  async doStream(): Promise<never> {
    throw new Error(`${this.provider} cannot be streamed`);
  }
}

function callOf({ id, name, input }: LlmCall) {
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: json };
}

function usageOf({ inputTokens, outputTokens }: LlmAnswer['usage']): Answer['usage'] {
  return {
    inputTokens: { total: inputTokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
  };
}
