/** Checksums by PHP's names. They are fast but not secure, so they are not offered for signatures. */

/** Returns hexadecimal digits in lower case. */
export type Checksum = (bytes: Uint8Array) => string;

export const checksums: ReadonlyMap<string, Checksum> = new Map<string, Checksum>([
  ['adler32', adler32],
  ['crc32', (bytes) => hex(swapped(crc(bytes, 0x04c11db7)))],
  ['crc32b', (bytes) => hex(reflectedCrc(bytes, 0xedb88320))],
  ['crc32c', (bytes) => hex(reflectedCrc(bytes, 0x82f63b78))],
  ['fnv132', (bytes) => fnv(bytes, fnv32, multiplyFirst)],
  ['fnv1a32', (bytes) => fnv(bytes, fnv32, multiplyLast)],
  ['fnv164', (bytes) => fnv(bytes, fnv64, multiplyFirst)],
  ['fnv1a64', (bytes) => fnv(bytes, fnv64, multiplyLast)],
  ['joaat', joaat],
]);

const hex = (number: number): string => (number >>> 0).toString(16).padStart(8, '0');

function adler32(bytes: Uint8Array): string {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return hex((high << 16) | low);
}

/** The CRC of zip and Ethernet, and with another polynomial of iSCSI: lowest bit first. */
function reflectedCrc(bytes: Uint8Array, polynomial: number): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ polynomial : sum >>> 1;
  }
  return ~sum;
}

/** The CRC of bzip2: highest bit first. */
function crc(bytes: Uint8Array, polynomial: number): number {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ polynomial : sum << 1;
  }
  return ~sum;
}

/** Reverses the bytes: PHP writes those of its `crc32` from last to first. */
const swapped = (sum: number): number =>
  (sum >>> 24) | ((sum >>> 8) & 0xff00) | ((sum & 0xff00) << 8) | ((sum & 0xff) << 24);

interface Fnv {
  readonly bits: number;
  readonly basis: bigint;
  readonly prime: bigint;
}
type FnvStep = (sum: bigint, byte: bigint, prime: bigint) => bigint;

const fnv32: Fnv = { bits: 32, basis: 0x811c9dc5n, prime: 0x01000193n };
const fnv64: Fnv = { bits: 64, basis: 0xcbf29ce484222325n, prime: 0x100000001b3n };
const multiplyFirst: FnvStep = (sum, byte, prime) => (sum * prime) ^ byte;
const multiplyLast: FnvStep = (sum, byte, prime) => (sum ^ byte) * prime;

/** Fowler, Noll and Vo; the two variants differ in the order of their steps. */
function fnv(bytes: Uint8Array, { bits, basis, prime }: Fnv, step: FnvStep): string {
  const mask = (1n << BigInt(bits)) - 1n;
  let sum = basis;
  // BigInt.asUintN in a loop crashes V8's compiler in Node 20.
  for (const byte of bytes) sum = step(sum, BigInt(byte), prime) & mask;
  return sum.toString(16).padStart(bits / 4, '0');
}

/** Jenkins, one byte at a time. */
function joaat(bytes: Uint8Array): string {
  let sum = 0;
  for (const byte of bytes) {
    sum = (sum + byte) | 0;
    sum = (sum + (sum << 10)) | 0;
    sum ^= sum >>> 6;
  }
  sum = (sum + (sum << 3)) | 0;
  sum ^= sum >>> 11;
  return hex((sum + (sum << 15)) | 0);
}
