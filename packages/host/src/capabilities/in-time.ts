/** Something that a plugin provides did not answer in time. */
export class Late extends Error {}

/** What `work` comes to, if that is within so many milliseconds. Rejects as it does, or with {@link Late}. */
export async function inTime<T>(ms: number, work: () => T | Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // Referenced: while it is waited for, the process must not end as if all were well.
  const timer = setTimeout(() => reject(new Late(`did not answer within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
