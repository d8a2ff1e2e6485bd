/** Reads the items of a file piece by piece, whole items at a time. */
import type { FileHandle } from 'node:fs/promises';

const pieceBytes = 512 * 1024;
const NEWLINE = 0x0a;

/**
 * Yields whole lines, until `most` bytes have been read; the memory is used again after each. An item that is longer
 * than a piece is yielded whole.
 */
export async function* eachLines(handle: FileHandle, most: number): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafeSlow(pieceBytes);
  let held = 0;
  for (let at = 0; at < most; ) {
    if (held === piece.length) piece = doubled(piece);
    const { bytesRead } = await handle.read(piece, held, Math.min(piece.length - held, most - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const filled = held + bytesRead;
    const end = piece.lastIndexOf(NEWLINE, filled - 1) + 1;
    if (end > 0) yield piece.subarray(0, end);
    piece.copyWithin(0, end, filled);
    held = filled - end;
  }
}

function doubled(piece: Buffer): Buffer<ArrayBuffer> {
  const made = Buffer.allocUnsafeSlow(piece.length * 2);
  piece.copy(made);
  return made;
}
