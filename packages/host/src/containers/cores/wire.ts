import type { TurnWork } from 'patchbay-sdk';

/** What a core in a container is told of its turn. */
export type TurnFacts = Pick<
  TurnWork,
  | 'key'
  | 'run_id'
  | 'turn_id'
  | 'attempt'
  | 'phase'
  | 'role'
  | 'goal'
  | 'reviews'
  | 'bundle'
  | 'workspace'
  | 'result_file'
  | 'writes'
  | 'config'
  | 'chat'
>;

/** Where its class is. */
export interface CoreModule {
  readonly module: string;
  /** @default the default export */
  readonly className?: string | undefined;
  /** Folders with its files, of which the first that is there counts. */
  readonly sources: readonly string[];
  /** The folder with its packages. */
  readonly packages: string;
}

/** What a core may ask of the host and gets an answer to. */
export const calls = ['tools', 'callTool', 'mayWrite', 'mcp'] as const;
/** What it may say. */
export const words = ['log', 'trace', 'spent'] as const;

/** What the host tells the process of a core, one JSON text a line. */
export type ToCore =
  | { readonly begin: CoreModule; readonly turn: TurnFacts }
  | { readonly answer: number; readonly value: unknown }
  | { readonly failed: number; readonly why: string }
  | { readonly abort: true };

/** What the process of a core tells the host. */
export type FromCore =
  | { readonly call: number; readonly what: (typeof calls)[number]; readonly args: readonly unknown[] }
  | { readonly say: (typeof words)[number]; readonly args: readonly unknown[] }
  /** It has left its result, if it has one. */
  | { readonly done: true }
  | { readonly threw: string };
