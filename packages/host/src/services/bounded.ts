import { createContext, Script } from 'node:vm';

/** Made when it is first needed: most commands call no tools. */
let bench: { readonly script: Script; readonly context: { work: unknown } } | undefined;

/** Work took longer than it may. */
export class TooSlow extends Error {}

/** What `work` gives, if it does so in so many milliseconds: it is ended then, whatever it does. Throws as it does, or {@link TooSlow}. */
export function bounded<T>(ms: number, work: () => T): T {
  bench ??= { script: new Script('work()'), context: createContext({ work: undefined }) as { work: unknown } };
  const { script, context } = bench;
  context.work = work;
  try {
    return script.runInContext(context, { timeout: ms }) as T;
  } catch (error) {
    const code = (error as { code?: unknown } | null | undefined)?.code;
    throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? new TooSlow(`it takes longer than ${ms} ms`) : error;
  } finally {
    context.work = undefined;
  }
}
