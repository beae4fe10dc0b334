import { problemsOf, type TurnWork } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

/** The providers that need no plugin. */
export const builtIn: readonly string[] = ['anthropic', 'openai-compatible'];

const price = z.number().nonnegative();

const schema = z
  .strictObject({
    /** One of {@link builtIn}, or the name of one that a plugin provides. */
    provider: z.string().min(1),
    model: z.string().min(1),
    /** With the version in it: `https://api.anthropic.com/v1`, which is the default for `anthropic`. */
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    /** The name of the environment variable that holds the key; a server that asks for none needs none. */
    api_key_env: z.string().min(1).optional(),
    /** How often the model may be asked in a turn. */
    max_steps: z.int().positive().default(30),
    /** The most that the model may say at a time; as the provider has it, if not given. */
    max_tokens: z.int().positive().optional(),
    /** Whether the model may run commands. */
    exec: z.boolean().default(false),
    /** In USD for a million tokens; without it a turn costs nothing. */
    price: z.strictObject({ input: price, output: price }).default({ input: 0, output: 0 }),
    /** Read by the host: the variables that commands see. */
    env: z.array(z.string()).default([]),
  })
  .refine(({ provider, base_url }) => provider !== 'openai-compatible' || base_url !== undefined, {
    path: ['base_url'],
    message: 'is needed for an openai-compatible provider',
  })
  .refine(({ provider, api_key_env }) => provider !== 'anthropic' || api_key_env !== undefined, {
    path: ['api_key_env'],
    message: 'is needed for the provider anthropic',
  })
  .refine(({ api_key_env, env }) => api_key_env === undefined || !env.includes(api_key_env), {
    path: ['env'],
    message: 'would show the key to the commands of the model',
  });

/** What a role may set for this core. */
export type Settings = z.output<typeof schema>;

/** The settings of a turn. Throws an error that names everything that is wrong with them. */
export function settingsOf({ role, config }: TurnWork): Settings {
  const problems = problemsOf(schema, config).map(({ path, message }) => `${path || 'with'}: ${message}`);
  if (problems.length > 0)
    throw new Error(`role "${role}" is set up wrongly for the core "llm": ${problems.join('; ')}`);
  return schema.parse(config);
}

/** Throws if the settings have what a provider of a plugin cannot be told: it is set up where its plugin is. */
export function refuseAccess({ provider, base_url, api_key_env }: Settings): void {
  const given = Object.entries({ base_url, api_key_env }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const names = given.map(([name]) => name).join(' and ');
  throw new Error(
    `${names} of a role is for ${builtIn.join(' and ')} only, "${provider}" is set up where its plugin is`,
  );
}

/** The key of the provider; undefined if the settings name none. Throws if the variable is not there. */
export function keyOf({ api_key_env: name }: Settings): string | undefined {
  if (name === undefined) return undefined;
  const key = process.env[name]?.trim();
  if (!key) throw new Error(`the environment variable ${name}, which should hold the key of the model, is not set`);
  return key;
}
