/** Reads the items of a file piece by piece, whole items at a time. */
import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 512 * 1024;
const NEWLINE = 0x0a;

/**
 * Yields whole lines, until `most` bytes have been read; the memory is used again after each. An item that is longer
 * than a piece is yielded whole.
 */
export async function* eachLines(handle: FileHandle, most: number): AsyncGenerator<Buffer> {
  let [piece, other] = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
  let rest = 0;
  let at = 0;
  const read = (into: Buffer, from: number) =>
    handle.read(into, from, Math.max(0, Math.min(into.length - from, most - at)), at);
  let { bytesRead } = await read(piece, 0);
  while (bytesRead > 0) {
    at += bytesRead;
    const filled = rest + bytesRead;
    const end = piece.lastIndexOf(NEWLINE, filled - 1) + 1;
    rest = filled - end;
    if (rest >= other.length) other = Buffer.allocUnsafeSlow(rest * 2);
    piece.copy(other, 0, end, filled);
    const next = read(other, rest); // while this piece is in use
    next.catch(() => {});
    if (end > 0) yield piece.subarray(0, end);
    ({ bytesRead } = await next);
    [piece, other] = [other, piece];
  }
}
