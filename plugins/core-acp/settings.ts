import { problemOf, type TurnWork } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

const schema = z.object({
  /** The program and its arguments; a path that begins with `./` is one in the workspace. */
  command: z.array(z.string().min(1)).min(1),
  /** Read by the host: the variables that it sees besides the usual ones. */
  env: z.array(z.string()).default([]),
  /** The mode of the agent to work in, by its id; the agent's own choice if none is given. */
  mode: z.string().optional(),
  /** Whether it may run programs when it asks for it. */
  exec: z.boolean().default(false),
});

/** What a role may set for this core. Settings of other cores beside them are no mistake: a project may change the core. */
export type Settings = z.output<typeof schema>;

/** The settings of a turn. Throws if they are wrong, naming each that is. */
export function settingsOf({ role, config }: TurnWork): Settings {
  const problem = problemOf(schema, config);
  if (problem === undefined) return schema.parse(config);
  const form = '"with: { command: [program, argument…], env?: [NAME…], mode?: …, exec?: true }"';
  throw new Error(`role "${role}" needs ${form} for the core "acp": ${problem}`);
}
