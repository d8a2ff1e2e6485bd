/**
 * Decides by name or address whether a host is private. The ranges are those that IANA's registries of special-purpose
 * addresses do not list as globally reachable (RFC 6890).
 */
import { BlockList, isIP } from 'node:net';

/** Whether a host is private, as far as its name or its literal address shows. */
export function isPrivateHost(host: string): boolean {
  const canonical = canonicalHost(host);
  return isIP(canonical) === 0 ? privateName.test(canonical) : isPrivateAddress(canonical);
}

/** Whether an IP address is not reachable from the whole Internet. */
export function isPrivateAddress(address: string): boolean {
  const canonical = canonicalHost(address);
  const embedded = embeddedIpv4(canonical);
  if (embedded !== undefined || isIP(canonical) === 4) return privateIpv4.check(embedded ?? canonical);
  return isIP(canonical) === 0 || !globalIpv6.check(canonical, 'ipv6') || privateIpv6.check(canonical, 'ipv6');
}

/** Whether a host is this machine, as far as its name or its literal address shows. */
export function isLoopback(host: string): boolean {
  const canonical = canonicalHost(host);
  const address = embeddedIpv4(canonical) ?? canonical;
  return /^(?:.+\.)?localhost$|^::1?$/.test(address) || (isIP(address) === 4 && loopbackIpv4.check(address));
}

/**
 * The host as connections read it, without brackets, zone and final dot. An IPv4 address in decimal, octal or
 * hexadecimal form is the address that it means.
 */
export function canonicalHost(host: string): string {
  const bare = host.replace(/^\[|%.*$|\]$/g, '');
  const url = `http://${bare.includes(':') ? `[${bare}]` : bare}/`;
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: bare.toLowerCase() };
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

/** The IPv4 address in a mapped address (RFC 4291 2.5.5.2) or in one of NAT64 (RFC 6052). */
function embeddedIpv4(canonical: string): string | undefined {
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([\da-f]+):([\da-f]+)$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.');
}

/** Names without a dot, and top-level domains that only private networks have. RFC 6761, RFC 6762 G, RFC 8375. */
const privateName = /^[^.]*$|\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

const loopbackIpv4 = listOf('ipv4', ['127.0.0.0/8', '0.0.0.0/32']);

const privateIpv4 = listOf('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by customers of a carrier (CGNAT)
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a public address, which in Azure is the host of the virtual machine
  '169.254.0.0/16', // link-local, with the metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/3', // multicast, reserved, broadcast
]);

/** All that is allocated to the Internet. */
const globalIpv6 = listOf('ipv6', ['2000::/3']);

const privateIpv6 = listOf('ipv6', [
  '2001::/23', // protocol assignments, among them Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which contains an IPv4 address
  '3fff::/20', // documentation
]);

function listOf(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
