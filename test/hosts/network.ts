import { Namespaces } from './namespaces.ts';
import { Proxies } from './proxies.ts';

/** How hosts reach their database, each by a cable of its own that can be pulled out. They are known by numbers from 0. */
export interface Network {
  /** What it is made of, for people. */
  readonly kind: string;
  /** Where a server must listen that the hosts are to reach, and from where they come. */
  readonly server: { readonly address: string; readonly from: string };
  /** Says at which port of that address the server is. */
  connect(port: number): Promise<void>;
  /** The words before a command that is to run where a host is. */
  at(host: number): readonly string[];
  /** The address that a host itself is reached at. */
  addressOf(host: number): string;
  /** Where a host finds the server. */
  serverOf(host: number): string;
  /** Pulls the cable: what is sent is lost, and nobody is told. */
  cut(host: number): void;
  /** Puts it back. */
  heal(host: number): void;
  /** Leaves nothing behind. */
  close(): Promise<void>;
}

/** A network of network namespaces where they can be made; of proxies where not, or where `HOSTS_NETWORK=proxies` says so. */
export async function makeNetwork(hosts: number): Promise<Network> {
  if (process.env['HOSTS_NETWORK'] === 'proxies') return new Proxies(hosts);
  return (await Namespaces.make(hosts)) ?? new Proxies(hosts);
}
