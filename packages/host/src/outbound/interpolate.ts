import type { EventName, EventPayload } from 'patchbay-sdk';
import { variablesIn } from '../install/manifest/grants.ts';

/** Where the variables of header values come from. */
export interface Variables {
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the plugin: only variables granted as `env:NAME` are read. */
  readonly grants: readonly string[];
  readonly payload: EventPayload<EventName>;
}

/** Headers ready to be sent, or what is wrong with one of them; a problem never tells a value. */
export type Interpolated =
  | {
      /** By name in lower case; of two that are the same, the last. */
      readonly headers: ReadonlyMap<string, string>;
      /** Every value of the environment that stands in them. */
      readonly secrets: readonly string[];
    }
  | { readonly problem: string };

/** Headers that say how the connection is used, or whom it leads to: not for a plugin to choose. */
const ofConnection = new Set(
  'host content-length transfer-encoding connection keep-alive proxy-connection upgrade expect te trailer'.split(' '),
);

/** What is wrong with a header that a plugin wants to be sent, if anything. Never tells its value. */
export function problemOfHeader(header: string, value: string): string | undefined {
  if (ofConnection.has(header.toLowerCase())) return `header ${header} cannot be set by a plugin`;
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return undefined;
  return `header ${header} has a line break or another character that no header can carry`;
}

/**
 * Puts the variables of the environment, or else of the event (`run_id`, `turn_id`, `role`, `phase`), in place of each
 * `${NAME}` in header values. Never throws.
 */
export function interpolate(declared: Readonly<Record<string, string>>, variables: Variables): Interpolated {
  const headers = new Map<string, string>();
  const secrets: string[] = [];
  for (const [header, template] of Object.entries(declared)) {
    const filled = fill(template, variables);
    if ('problem' in filled) return { problem: `header ${header} ${filled.problem}` };
    const problem = problemOfHeader(header, filled.value);
    if (problem !== undefined) return { problem };
    headers.set(header.toLowerCase(), filled.value);
    secrets.push(...filled.secrets);
  }
  return { headers, secrets };
}

function fill(template: string, { env, grants, payload }: Variables) {
  const ungranted = variablesIn(template).find((name) => !grants.includes(`env:${name}`));
  if (ungranted !== undefined) {
    return { problem: `needs the variable ${ungranted}, which was not granted: env:${ungranted}` };
  }
  const { run_id, turn_id, role, phase } = payload;
  const context = new Map(Object.entries({ run_id, turn_id, role, phase }));
  const secrets: string[] = [];
  const missing: string[] = [];
  const value = template.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) => {
    const found = grants.includes(`env:${name}`) && Object.hasOwn(env, name) ? env[name] : undefined;
    if (found !== undefined) secrets.push(found);
    else if (!context.has(name)) missing.push(name);
    return found ?? context.get(name) ?? '';
  });
  if (missing.length > 0) return { problem: `needs the variable ${missing[0]}, which is not set` };
  return { value, secrets };
}
