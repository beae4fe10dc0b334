import { BlockList, isIP } from 'node:net';

/** Whether a call may go to an address; if not, why, and which grant would allow it. */
export type Decision = { readonly allowed: true } | { readonly refused: string };

interface NetGrant {
  readonly host: string;
  /** Of a range of addresses. */
  readonly prefix: number | undefined;
  /** Without one, every port. */
  readonly port: number | undefined;
}

/** Addresses that lead into this machine, its network, or nowhere: never reached by accident. */
const special: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
  unspecified: ['0.0.0.0/8', '::/128'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  broadcast: ['255.255.255.255/32'],
  // A public address, but on Azure it is the machine's own control channel.
  metadata: ['168.63.129.16/32'],
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  reserved: ['192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4', '2001::/23'],
};

/** Of IPv6 only this is in public use; the last two hold IPv4 addresses, which are looked at themselves. */
const publicV6 = listOf(['2000::/3', '64:ff9b::/96', '::ffff:0:0/96']);
const kinds = Object.entries(special).map(([kind, ranges]) => [kind, listOf(ranges.flatMap(translated))] as const);

/** Whether a connection for this host of a URL may be made to this address. Never throws. */
export function decide(host: string, port: number, address: string, grants: readonly string[]): Decision {
  const named = decideHost(host, port, grants);
  if ('refused' in named) return named;
  const kind = kindOf(address);
  if (kind === undefined) return { allowed: true };
  if (kind === 'loopback' && plainHost(host) === 'localhost') return { allowed: true };
  if (netGrants(grants, port).some((grant) => covers(grant, address))) return { allowed: true };
  const allowing = `net:${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  return { refused: `${host} is at ${address}, a ${kind} address; only the grant ${allowing} would allow that` };
}

/** Whether this host of a URL may be called at all, wherever it is. Never throws. */
export function decideHost(host: string, port: number, grants: readonly string[]): Decision {
  const plain = plainHost(host);
  const granted = netGrants(grants, port).some((grant) =>
    isIP(plain) === 0 ? grant.prefix === undefined && grant.host === plain : covers(grant, plain),
  );
  if (granted) return { allowed: true };
  return { refused: `${host} may not be called at port ${port}; the grant net:${host}:${port} would allow it` };
}

/** As grants and addresses have it: without brackets, and without the dot that ends a full name. */
function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function netGrants(grants: readonly string[], port: number): NetGrant[] {
  return grants.flatMap((grant) => netGrant(grant) ?? []).filter((grant) => (grant.port ?? port) === port);
}

/** `net:HOST`, `net:10.0.0.0/8`, `net:[fd00::]/8`, each perhaps with a port; anything else allows nothing. */
function netGrant(grant: string): NetGrant | undefined {
  const shape = /^net:(?<host>\[[^\]]+\]|[^\s:/?#@\\[\]]+)(?:\/(?<prefix>\d{1,3}))?(?::(?<port>\d{1,5}))?$/;
  const { host, prefix, port } = shape.exec(grant)?.groups ?? {};
  if (host === undefined) return undefined;
  // Read as it is read in a URL, so that every notation of a host is the same.
  const url = URL.parse(`http://${host}`);
  if (url === null) return undefined;
  const plain = plainHost(url.hostname);
  const family = isIP(plain);
  if (prefix !== undefined && (family === 0 || Number(prefix) > (family === 4 ? 32 : 128))) return undefined;
  return { host: plain, prefix: optionalNumber(prefix), port: optionalNumber(port) };
}

function optionalNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function covers({ host, prefix }: NetGrant, address: string): boolean {
  const family = isIP(host);
  return family !== 0 && holds(listOf([`${host}/${prefix ?? (family === 4 ? 32 : 128)}`]), address);
}

/** What is special about an address; undefined if nothing is. */
function kindOf(address: string): string | undefined {
  const found = kinds.find(([, list]) => holds(list, address));
  if (found !== undefined) return found[0];
  return isIP(address) === 4 || holds(publicV6, address) ? undefined : 'reserved';
}

/** BlockList itself takes IPv4 addresses that are written as IPv6 ones for what they are. */
function holds(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address.replace(/%.*$/, ''), family === 4 ? 'ipv4' : 'ipv6');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', prefix] = range.split('/');
    list.addSubnet(base, Number(prefix), isIP(base) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** A range of IPv4 addresses, and how gateways from IPv6 to IPv4 (NAT64, 6to4) write it. */
function translated(range: string): string[] {
  const [base = '', prefix] = range.split('/');
  if (isIP(base) !== 4) return [range];
  const hex = base.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const sixToFour = `2002:${hex.slice(0, 2).join('')}:${hex.slice(2).join('')}::`;
  return [range, `64:ff9b::${base}/${96 + Number(prefix)}`, `${sixToFour}/${16 + Number(prefix)}`];
}
