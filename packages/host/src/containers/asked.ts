import { type ContainerRuntime, messageOf, PatchbayError } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { inTime, Late } from '../capabilities/in-time.ts';

/** A runtime, and the plugin it is of. */
export interface Runtime {
  readonly name: string;
  readonly plugin: string;
  readonly members: ContainerRuntime;
}

const texts = z.array(z.string());
/** What members answer, where that matters. */
const answers = {
  isAvailable: z.boolean(),
  ensureRunning: z.unknown(),
  listRunningContainers: texts,
  command: z.object({
    argv: texts.check(z.minLength(1)),
    env: z.record(z.string(), z.string()),
    after: z.optional(texts),
  }),
  remove: z.unknown(),
  limits: z.object({ cpus: z.boolean(), memoryMb: z.boolean(), pids: z.boolean() }),
};
type Member = keyof typeof answers;
type Given<M extends Member> = Parameters<NonNullable<ContainerRuntime[M]>>;

const answerMs = 10_000;
/** A service may have to be started, a container to be ended. */
const longMs = 75_000;
const slow: readonly Member[] = ['ensureRunning', 'remove'];

/**
 * Calls a member of a runtime, which may be anybody's: bounded in time, the answer checked. Undefined where it has no such
 * member. Throws HANDLER_FAILED, HANDLER_TIMEOUT and HANDLER_ANSWER, which name plugin and runtime.
 */
export async function asked<M extends Member>(
  { name, plugin, members }: Runtime,
  member: M,
  ...given: Given<M>
): Promise<z.output<(typeof answers)[M]> | undefined> {
  const about = { plugin, hook: 'containerRuntime' };
  const failed = (code: 'HANDLER_FAILED' | 'HANDLER_TIMEOUT' | 'HANDLER_ANSWER', what: string, cause?: unknown) =>
    new PatchbayError(code, `container runtime "${name}" of plugin "${plugin}", ${member}: ${what}`, {
      ...about,
      cause,
    });
  const call = members[member] as ((...args: Given<M>) => unknown) | undefined;
  if (call === undefined) return undefined;
  let answer: unknown;
  try {
    answer = await inTime(slow.includes(member) ? longMs : answerMs, () => call.apply(members, given));
  } catch (error) {
    throw failed(error instanceof Late ? 'HANDLER_TIMEOUT' : 'HANDLER_FAILED', messageOf(error), error);
  }
  const checked = z.safeParse(answers[member], answer);
  if (checked.success) return checked.data as z.output<(typeof answers)[M]>;
  throw failed('HANDLER_ANSWER', 'answered nonsense');
}
