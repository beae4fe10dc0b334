import type { phases } from './schemas.ts';

/** A handler that a manifest declares, with its defaults filled in. */
export type ManifestHandler = {
  /** The event it is called for. */
  readonly event: string;
  readonly timeoutMs: number;
} & (
  | { readonly type: 'script'; readonly run: string }
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly type: 'process';
      readonly name: string | undefined;
      readonly phase: keyof typeof phases;
      readonly command: readonly string[];
      readonly blocking: boolean;
    }
);

/** What a plugin package says of itself, whichever form it says it in; read without running any of its code. */
export interface Manifest {
  readonly form: 'agentxchain' | 'agentxchain-0.1' | 'portable' | 'package';
  /** The file it was read from. */
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string | undefined;
  /** Scripts, processes and addresses to call. */
  readonly handlers: readonly ManifestHandler[];
  /** The hooks it implements, each once, as far as the manifest tells. */
  readonly hooks: readonly string[];
  /** Module and export by entry point; `plugin` for the one that exports a definition. */
  readonly entries: Readonly<Record<string, string>>;
  /** JSON Schema of its configuration. */
  readonly configSchema: Readonly<Record<string, unknown>> | undefined;
  /** What it asks to be allowed, implied things included, sorted. */
  readonly asks: readonly string[];
  /** What is not wrong but will not do what the author thinks. */
  readonly warnings: readonly string[];
}
