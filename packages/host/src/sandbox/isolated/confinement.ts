import { bubblewrapWorks, confined, findBubblewrap } from '../bubblewrap.ts';

/** The command before a plugin's own, if any. With one, the plugin sees no process but its own, and all end with it. */
export type Prefix = readonly string[];

const probes = new Map<boolean, Promise<Prefix>>();

/** The strictest prefix that works on this machine; empty where none does. Found out once. */
export function confinement(network: boolean): Promise<Prefix> {
  const known = probes.get(network) ?? probe(network);
  probes.set(network, known);
  return known;
}

async function probe(network: boolean): Promise<Prefix> {
  const bwrap = findBubblewrap();
  if (bwrap === undefined) return [];
  const candidates = network ? [confined] : [[...confined, '--unshare-net'], confined];
  for (const flags of candidates) {
    if (await bubblewrapWorks(bwrap, flags)) return [bwrap, ...flags];
  }
  return [];
}
