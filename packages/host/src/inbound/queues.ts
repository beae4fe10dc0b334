const queuePrefix = 'webhooks of ';

/**
 * Under which name the requests for a plugin are owed. No plugin can be called so: they are no business of the lane of the
 * plugin, which makes one delivery after the other.
 */
export function queueOf(plugin: string): string {
  return queuePrefix + plugin;
}

/** The plugin whose requests are owed under a name; undefined if it is no such name. */
export function pluginOf(queue: string): string | undefined {
  return queue.startsWith(queuePrefix) ? queue.slice(queuePrefix.length) : undefined;
}
