import { type Hooks, type Memory, messageOf, PatchbayError, problemOf, type Schema } from 'patchbay-sdk';
import * as z from 'zod/mini';
import { type Kernel, newRecord } from '../kernel/index.ts';
import { inTime, Late } from './in-time.ts';

/** The memory of a project, from whichever plugin won. */
export interface OpenMemory {
  /** The plugin that it is of. */
  readonly plugin: string;
  /**
   * Calls the backend. Every member rejects with HANDLER_FAILED, HANDLER_TIMEOUT or HANDLER_ANSWER, naming the plugin;
   * optional ones are there if the backend has them.
   */
  readonly memory: Memory;
  /** Why plugins that come before it gave none. */
  readonly passedOver: readonly PatchbayError[];
}

const callMs = 30_000;
const fields = z.looseObject({});
const list = z.array(fields);
/** What each member of a backend answers; null where nobody looks. */
const answers: Readonly<Record<Exclude<keyof Memory, 'name'>, Schema | null>> = {
  save: fields,
  recall: list,
  forget: fields,
  listKeys: list,
  history: list,
  export: list,
  import: z.int(),
  init: null,
  close: null,
};

/**
 * Makes the memory of a project ready: that of the first plugin that gives one. Undefined if none does; throws as `init` does
 * in {@link OpenMemory.memory}, since another memory would not know what is in this one. Whoever opens it closes it.
 */
export async function openMemory(kernel: Kernel<Hooks>, project: string): Promise<OpenMemory | undefined> {
  const record = newRecord();
  const backend = await kernel.call('memory', { project }, { record });
  if (backend === null) return undefined;
  const plugin = record.answers.find(({ answer }) => answer === backend)?.plugin ?? '';
  const memory = guarded(backend, plugin);
  await memory.init();
  return { plugin, memory, passedOver: record.failures };
}

function guarded(backend: Memory, plugin: string): Memory {
  const members = Object.keys(answers) as (keyof typeof answers)[];
  const there = members.filter((member) => backend[member] !== undefined);
  return {
    name: backend.name,
    ...Object.fromEntries(there.map((member) => [member, guardedMember(backend, member, plugin)])),
  } as unknown as Memory;
}

function guardedMember(backend: Memory, member: keyof typeof answers, plugin: string) {
  const where = `plugin "${plugin}" in hook "memory", "${member}"`;
  const blame = { plugin, hook: 'memory' };
  return async (...args: never[]): Promise<unknown> => {
    let answer: unknown;
    try {
      answer = await inTime(callMs, () => (backend[member] as (...args: never[]) => unknown).apply(backend, args));
    } catch (error) {
      if (error instanceof Late) throw new PatchbayError('HANDLER_TIMEOUT', `${where} ${error.message}`, blame);
      throw new PatchbayError('HANDLER_FAILED', `${where} failed: ${messageOf(error)}`, { ...blame, cause: error });
    }
    const schema = answers[member];
    const problem = schema === null ? undefined : problemOf(schema, answer);
    if (problem === undefined) return answer;
    throw new PatchbayError('HANDLER_ANSWER', `${where} answered what it must not: ${problem}`, blame);
  };
}
