import { z } from 'patchbay-sdk/zod';

const schema = z.object({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'must be OWNER/NAME'),
  token_env: z.string().default('GITHUB_TOKEN'),
  api_url: z.url().optional(),
  base: z.string().default('main'),
});

/** How GitHub is reached. */
export interface GitHubSettings {
  readonly owner: string;
  readonly repository: string;
  readonly token: string;
  readonly tokenName: string;
  /** Without a slash at its end. */
  readonly api: string;
  /** The branch that reviews are against. */
  readonly base: string;
  /** The file that GitHub shows beside a job; undefined where there is no job. */
  readonly summaryFile: string | undefined;
}

/**
 * Reads what the project says of GitHub; what it does not say is what GitHub tells its own jobs by their environment.
 * Throws an Error that says what is missing.
 */
export function readSettings(given: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv): GitHubSettings {
  const { success, data, error } = schema.safeParse({ repository: env['GITHUB_REPOSITORY'], ...given });
  if (!success) {
    const [issue] = error.issues;
    throw new Error(`platform github: "${issue?.path.join('.')}" ${issue?.message ?? 'is wrong'}`);
  }
  const { repository, token_env, api_url, base } = data;
  const token = env[token_env];
  if (!token) throw new Error(`platform github: the environment has no ${token_env}`);
  const api = (api_url ?? env['GITHUB_API_URL'] ?? 'https://api.github.com').replace(/\/+$/, '');
  const [owner = ''] = repository.split('/');
  return { owner, repository, token, tokenName: token_env, api, base, summaryFile: env['GITHUB_STEP_SUMMARY'] };
}
