import { type LlmAnswer, problemsOf } from 'patchbay-sdk';
import { z } from 'patchbay-sdk/zod';

const tokens = z.int().nonnegative();

const schema = z.object({
  text: z.string(),
  calls: z
    .array(z.object({ id: z.string().min(1), name: z.string().min(1), input: z.json() }))
    .refine((calls) => new Set(calls.map(({ id }) => id)).size === calls.length, 'must each have an id of its own'),
  usage: z.object({ inputTokens: tokens, outputTokens: tokens }),
}) satisfies z.ZodType<LlmAnswer>;

/** The answer of a provider as it is in JSON, if it is one. Throws an error that says what is wrong with it. */
export function checkedAnswer(answer: unknown): LlmAnswer {
  const plain: unknown = JSON.parse(JSON.stringify(answer) ?? 'null');
  const problems = problemsOf(schema, plain).map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  if (problems.length > 0) throw new Error(`what it answered is no answer: ${problems.join('; ')}`);
  return schema.parse(plain);
}
