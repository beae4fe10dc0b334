/** The order among handlers of equal phase, without constraints between them. */
export type OrderRule = 'last-registered-first' | 'first-registered-first' | 'alphabetical';

/**
 * The plugin worlds the host speaks, in the order in which their handlers are called for one event, each with its
 * own rule among its own. `tryfirst`, `trylast` and before/after constraints reach across them.
 */
export const dialects = {
  native: 'last-registered-first',
  agentxchain: 'alphabetical',
  pace: 'first-registered-first',
  pynchy: 'last-registered-first',
} as const satisfies Record<string, OrderRule>;

/** The name of a plugin world. */
export type Dialect = keyof typeof dialects;
