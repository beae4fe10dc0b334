import { describe, expect, it } from 'vitest';
import { decide } from '../../src/outbound/guard.ts';

/** Host of the URL, port, address it is at, grants, and what the refusal says; undefined if it is allowed. */
type Row = readonly [host: string, port: number, address: string, grants: string[], refusal: string | undefined];

const granted = (address: string, kind: string | undefined): Row => [
  'a.example',
  443,
  address,
  ['net:a.example'],
  kind === undefined ? undefined : `a ${kind} address`,
];

const refusalOf = (row: Row) => {
  const [host, port, address, grants] = row;
  const decision = decide(host, port, address, grants);
  return 'refused' in decision ? decision.refused : undefined;
};

function check(rows: readonly Row[]): void {
  it.each(rows)('%s:%i at %s with %j', (...row) => {
    const [, , , , refusal] = row;
    if (refusal === undefined) expect(refusalOf(row)).toBeUndefined();
    else expect(refusalOf(row)).toContain(refusal);
  });
}

describe('a host may be called', () => {
  check([
    ['a.example', 443, '93.184.215.14', ['net:a.example'], undefined],
    ['a.example', 8080, '93.184.215.14', ['net:a.example'], undefined],
    ['a.example', 8080, '93.184.215.14', ['net:a.example:8080'], undefined],
    ['a.example.', 443, '93.184.215.14', ['net:a.example'], undefined],
    ['a.example', 443, '93.184.215.14', ['net:A.Example'], undefined],
    ['xn--mnchen-3ya.example', 443, '93.184.215.14', ['net:münchen.example'], undefined],
    ['93.184.215.14', 443, '93.184.215.14', ['net:93.184.215.14'], undefined],
    ['[2606:2800:21f::1]', 443, '2606:2800:21f::1', ['net:[2606:2800:21f:0::1]'], undefined],
  ]);
});

describe('a host that was not granted may not be called', () => {
  check([
    ['a.example', 443, '93.184.215.14', [], 'net:a.example:443 would allow it'],
    ['a.example', 443, '93.184.215.14', ['env:a.example', 'a.example'], 'net:a.example:443'],
    ['a.example', 443, '93.184.215.14', ['net:a.example:8080'], 'net:a.example:443'],
    ['b.a.example', 443, '93.184.215.14', ['net:a.example'], 'net:b.a.example:443'],
    ['a.example', 443, '93.184.215.14', ['net:93.184.215.14', 'net:0.0.0.0/0'], 'net:a.example:443'],
    ['93.184.215.14', 443, '93.184.215.14', ['net:a.example'], 'net:93.184.215.14:443'],
    ['evil.example', 443, '93.184.215.14', ['net:a.example@evil.example', 'net:a.example\\@evil.example'], 'evil'],
    ['a.example', 443, '93.184.215.14', ['net:', 'net:*', 'net:[', 'net:a.example/8', 'net:a.example:'], 'net:a'],
  ]);
});

describe('a name that was granted may not lead to', () => {
  check([
    granted('127.0.0.1', 'loopback'),
    granted('127.255.0.9', 'loopback'),
    granted('::1', 'loopback'),
    granted('169.254.169.254', 'link-local'),
    granted('fe80::1', 'link-local'),
    granted('fe80::1%eth0', 'link-local'),
    granted('10.1.2.3', 'private'),
    granted('172.16.0.1', 'private'),
    granted('172.31.255.255', 'private'),
    granted('192.168.1.1', 'private'),
    granted('100.100.100.200', 'private'),
    granted('fd00:ec2::254', 'private'),
    granted('0.0.0.0', 'unspecified'),
    granted('0.1.2.3', 'unspecified'),
    granted('::', 'unspecified'),
    granted('224.0.0.251', 'multicast'),
    granted('ff02::1', 'multicast'),
    granted('255.255.255.255', 'broadcast'),
    granted('168.63.129.16', 'metadata'),
    granted('192.0.2.1', 'documentation'),
    granted('2001:db8::1', 'documentation'),
    granted('198.18.0.1', 'reserved'),
    granted('240.0.0.1', 'reserved'),
    granted('2001:0:4136:e378:8000:63bf:3fff:fdd2', 'reserved'),
    granted('fec0::1', 'reserved'),
    granted('100::1', 'reserved'),
    granted('::7f00:1', 'reserved'),
    granted('64:ff9b:1::a00:1', 'reserved'),
    granted('not an address', 'reserved'),
  ]);
});

describe('an IPv4 address inside an IPv6 one counts for what it is', () => {
  check([
    granted('::ffff:127.0.0.1', 'loopback'),
    granted('::ffff:a9fe:a9fe', 'link-local'),
    granted('::ffff:8.8.8.8', undefined),
    granted('64:ff9b::10.1.2.3', 'private'),
    granted('64:ff9b::a9fe:a9fe', 'link-local'),
    granted('64:ff9b::8.8.8.8', undefined),
    granted('2002:7f00:1::1', 'loopback'),
    granted('2002:a9fe:a9fe::', 'link-local'),
    granted('2002:c0a8:101::1', 'private'),
    granted('2002:808:808::1', undefined),
  ]);
});

describe('what lies next to a refused range is allowed', () => {
  check(
    [
      ...['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.1'],
      ...['169.253.255.255', '172.15.255.255', '172.32.0.0', '192.167.255.255', '223.255.255.255'],
      ...['2001:200::1', '2606:4700::1111', '2a00:1450::1'],
    ].map((address) => granted(address, undefined)),
  );
});

describe('an address that the operator granted is allowed although it is special', () => {
  check([
    ['127.0.0.1', 80, '127.0.0.1', ['net:127.0.0.1'], undefined],
    ['127.0.0.1', 80, '127.0.0.1', ['net:127.1:80'], undefined],
    ['127.0.0.1', 80, '127.0.0.1', ['net:127.0.0.1:81'], 'net:127.0.0.1:80 would allow it'],
    ['127.0.0.2', 80, '127.0.0.2', ['net:127.0.0.1'], 'net:127.0.0.2:80'],
    ['[::1]', 80, '::1', ['net:[::1]:80'], undefined],
    ['[::1]', 80, '::1', ['net:::1'], 'net:[::1]:80'],
    ['[::ffff:7f00:1]', 80, '::ffff:7f00:1', ['net:127.0.0.1'], undefined],
    ['10.1.2.3', 80, '10.1.2.3', ['net:10.0.0.0/8'], undefined],
    ['10.1.2.3', 80, '10.1.2.3', ['net:10.0.0.0/8:81'], 'net:10.1.2.3:80'],
    ['11.1.2.3', 80, '11.1.2.3', ['net:10.0.0.0/8'], 'net:11.1.2.3:80'],
    ['10.1.2.3', 80, '10.1.2.3', ['net:10.0.0.0/33', 'net:10.0.0.0/'], 'net:10.1.2.3:80'],
    ['a.example', 80, '10.1.2.3', ['net:a.example', 'net:10.1.2.3'], undefined],
    ['a.example', 80, '10.1.2.3', ['net:a.example', 'net:10.0.0.0/8'], undefined],
    ['a.example', 80, 'fd00::7', ['net:a.example', 'net:[fd00::]/8:80'], undefined],
    ['a.example', 80, 'fd00::7', ['net:a.example', 'net:[fd00::]/8:81'], 'net:[fd00::7]:80 would allow that'],
    ['a.example', 80, '10.1.2.3', ['net:a.example:80', 'net:192.168.0.0/16'], 'net:10.1.2.3:80 would allow that'],
  ]);
});

describe('localhost, if it was granted, leads to loopback addresses only', () => {
  check([
    ['localhost', 80, '127.0.0.1', ['net:localhost'], undefined],
    ['localhost', 80, '::1', ['net:localhost:80'], undefined],
    ['localhost.', 80, '::1', ['net:localhost'], undefined],
    ['localhost', 80, '127.0.0.1', ['net:127.0.0.1'], 'net:localhost:80'],
    ['localhost', 80, '10.0.0.1', ['net:localhost'], 'net:10.0.0.1:80'],
    ['evil.localhost', 80, '127.0.0.1', ['net:evil.localhost'], 'net:127.0.0.1:80'],
  ]);
});

it('a refusal names host, address and the grant that would allow it', () => {
  expect(refusalOf(['a.example', 80, '10.1.2.3', ['net:a.example'], ''])).toBe(
    'a.example is at 10.1.2.3, a private address; only the grant net:10.1.2.3:80 would allow that',
  );
});
