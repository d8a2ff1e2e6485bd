/** The hash by which Kafka's own clients choose the partition of a key: equal keys of all clients are together. */

const multiplier = 0x5bd1e995;
const seed = 0x9747b28c;

/** MurmurHash2 of 32 bits as in the Java client, without its sign: 0 to 2^31 - 1. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const whole = length - (length % 4);
  let hash = seed ^ length;
  for (let at = 0; at < whole; at += 4) {
    const mixed = Math.imul(view.getInt32(at, true), multiplier);
    hash = Math.imul(hash, multiplier) ^ Math.imul(mixed ^ (mixed >>> 24), multiplier);
  }
  if (whole < length) {
    for (let at = whole; at < length; at++) hash ^= view.getUint8(at) << (8 * (at - whole));
    hash = Math.imul(hash, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}
