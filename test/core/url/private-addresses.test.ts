/** Which addresses and names are private, in every form that a URL may give them. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalHost, isLoopback, isPrivateAddress, isPrivateHost } from '../../../src/core/url/private-addresses.js';

/** The first and the last address of each range, and their public neighbours. */
const ranges: readonly (readonly [first: string, last: string, before?: string | undefined, after?: string])[] = [
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255'],
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2001:200::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe::', '3fff:1000::'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['::ffff:10.0.0.0', '::ffff:10.255.255.255', '::ffff:9.255.255.255', '::ffff:11.0.0.0'],
  ['64:ff9b::127.0.0.0', '64:ff9b::127.255.255.255', '64:ff9b::126.255.255.255', '64:ff9b::128.0.0.0'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::1%eth0', 'fe80::ffff%1'],
];

for (const [first, last, before, after] of ranges) {
  test(`${first} to ${last} is private`, () => {
    assert.equal([first, last].map(isPrivateAddress), [true, true]);
    for (const each of [before, after]) assert.not.ok(each !== undefined && isPrivateAddress(each), each);
  });
}

const loopback =
  '127.0.0.1 127.9.9.9 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.1 127.0.1 127.0.0.1. 0 0.0.0.0 ' +
  '[::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::FFFF:7f00:1] [64:ff9b::127.0.0.1] localhost LocalHost ' +
  'localhost. api.localhost';
for (const host of loopback.split(' ')) {
  test(`${host} is this machine`, () => assert.equal([isLoopback(host), isPrivateHost(host)], [true, true]));
}

const privateHosts =
  '10.1 0xa000001 167772161 0300.0250.0.1 2852039166 169.254.169.254 [fd00:ec2::254] 100.100.100.200 168.63.129.16 ' +
  '[fe80::1] [fec0::1] [ff02::1] [::127.0.0.1] metadata.google.internal redis redis. printer.local a.home.arpa ' +
  'localhost.localdomain db.corp nas.lan intranet';
for (const host of privateHosts.split(' ')) {
  test(`${host} is private`, () => assert.equal([isPrivateHost(host), isLoopback(host)], [true, false]));
}

const publicHosts =
  '8.8.8.8 134744072 [2a00:1450:4001::5] [::ffff:8.8.8.8] [64:ff9b::8.8.8.8] api.example.com api.example.com. ' +
  'localhost.example.com internal.example.com 127.0.0.1.example.com 10.0.0.1.nip.io my-localhost.com corp.com xn--j1ay.xn--p1ai';
for (const host of publicHosts.split(' ')) {
  test(`${host} is not private, as far as it shows`, () =>
    assert.equal([isPrivateHost(host), isLoopback(host)], [false, false]));
}

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`every spelling of an address is the address (SEED=${seed})`, () => {
  const digits = [
    (part: number) => `${part}`,
    (part: number) => `0x${part.toString(16)}`,
    (part: number) => `0${part.toString(8)}`,
  ];
  const spelling = fc.tuple(
    fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }),
    fc.array(fc.constantFrom(...digits), { minLength: 4, maxLength: 4 }),
    fc.integer({ min: 1, max: 4 }),
  );
  fc.assert(
    fc.property(spelling, ([bytes, writers, parts]) => {
      // The last part holds all bytes that the parts before it have left.
      const rest = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      const host = [...bytes.slice(0, parts - 1), rest].map((part, index) => writers[index]?.(part)).join('.');
      const address = bytes.join('.');
      assert.is(canonicalHost(host), address);
      const [high, low] = [0, 2].map((at) => ((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)).toString(16));
      for (const each of [host, `[::ffff:${address}]`, `[::ffff:${high}:${low}]`, `[64:ff9b::${address}]`]) {
        assert.is(isPrivateHost(each), isPrivateAddress(address), each);
      }
    }),
    { seed, numRuns: 2_000 },
  );
});

test.run();
