import { Seal } from './seal.ts';

/** What the host may and must do when it sends for a plugin. */
export interface Rights {
  /** Where to, as in the lock file. */
  readonly grants: readonly string[];
  /** Whether that is the project's own code, which may send to any public address besides. */
  readonly own: boolean;
  /** The keys requests are signed with, the newest first; none: unsigned. */
  readonly signing: readonly string[];
  /** Keeps its secrets out of the ledger. */
  readonly seal: Seal;
}

/** Those of a plugin of which nothing is said. */
export const noRights: Rights = { grants: [], own: false, signing: [], seal: new Seal(new Map()) };

/** Takes the values of a plugin's secrets; their names are those of the variables that hold them. */
export function rightsOf(
  { secrets, ...of }: Omit<Rights, 'seal'> & { readonly secrets: readonly string[] },
  env: Readonly<Record<string, string | undefined>>,
): Rights {
  const values = new Set(secrets);
  const named = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && values.has(value) ? [[name, value] as const] : [],
  );
  return { ...of, seal: new Seal(new Map(named)) };
}
