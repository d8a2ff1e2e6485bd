/**
 * Memory that is lent: its owner uses it again when it is not needed any more. The mark is on the buffer, so all views
 * of it share it.
 */

const lease = Symbol('lease');

/** How many still need the memory. */
interface Lease {
  uses: number;
  readonly onFree: () => void;
}

type LentBuffer = ArrayBuffer & { [lease]?: Lease | undefined };

const buffer = (bytes: Uint8Array): LentBuffer => bytes.buffer as LentBuffer; // the symbol is set by `lend` only

/**
 * Lends the memory of these bytes, a buffer of their own. Returns a function that ends the loan; call it once. `onFree`
 * is called when the loan and all uses of `retain` have ended, but never if `owned` gave the memory away.
 */
export function lend(bytes: Uint8Array, onFree: () => void): () => void {
  const lent: Lease = { uses: 1, onFree };
  buffer(bytes)[lease] = lent;
  return () => release(lent);
}

/** Whether the bytes may change after the call that received them has settled. */
export const isLent = (bytes: Uint8Array): boolean => (buffer(bytes)[lease]?.uses ?? 0) > 0;

/** Keeps lent memory beyond that call. Call the result once, when it is not needed any more; undefined: not lent. */
export function retain(bytes: Uint8Array): (() => void) | undefined {
  const lent = buffer(bytes)[lease];
  if (lent === undefined || lent.uses === 0) return undefined;
  lent.uses += 1;
  return () => release(lent);
}

/** Returns bytes that never change: lent memory itself, whose owner does not get it back then, or a copy of a part. */
export function owned(bytes: Uint8Array): Uint8Array {
  const lent = buffer(bytes)[lease];
  if (lent === undefined || lent.uses === 0) return bytes;
  if (bytes.length < bytes.buffer.byteLength * leastUse) return copyOf(bytes);
  buffer(bytes)[lease] = undefined;
  lent.uses = Number.POSITIVE_INFINITY;
  return bytes;
}

/** Bytes that fill less of their memory are copied, so that few of them do not hold much. */
const leastUse = 0.75;

function copyOf(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

function release(lent: Lease): void {
  lent.uses -= 1;
  if (lent.uses === 0) lent.onFree();
}
