const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How a length of time is written: one number and one unit. */
export const durationPattern = /^(\d{1,9})(ms|s|m|h|d)$/;

/** `30m` in milliseconds; undefined if it is no duration. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = durationPattern.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * units[unit as keyof typeof units];
}
