/** A range of a file as the body of a request: read twice in pieces, once for its digest and once to be sent. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { refused } from '../errors.js';
import type { S3Body } from './s3-client.js';

export interface FileRange {
  readonly path: string;
  /** The first byte. */
  readonly start: number;
  /** In bytes. */
  readonly length: number;
}

/** A range of an open file. */
export interface FileBody extends S3Body {
  /** Closes the file. */
  close(): Promise<void>;
}

/** The algorithm of a digest, and how it is written. */
export type DigestForm = readonly [algorithm: 'md5' | 'sha256', encoding: 'base64' | 'hex'];

const pieceBytes = 256 * 1024;

/**
 * Opens the file and computes its digest. Memory holds a few pieces. Rejects with ERR_SINK if the file is shorter. The
 * caller closes it.
 */
export async function fileBody(range: FileRange, [algorithm, encoding]: DigestForm): Promise<FileBody> {
  const handle = await openFile(range.path);
  try {
    const hash = createHash(algorithm);
    for await (const piece of piecesOf(handle, range)) hash.update(piece);
    const content = () => piecesOf(handle, range);
    return { length: range.length, digest: hash.digest(encoding), content, close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** The MD5 of a range, in hexadecimal digits, as an ETag has it. */
export async function md5Of(range: FileRange): Promise<string> {
  const { digest, close } = await fileBody(range, ['md5', 'hex']);
  await close();
  return digest;
}

const openFile = (path: string): Promise<FileHandle> =>
  open(path, 'r').catch((thrown: unknown) => {
    throw refused(`read "${path}"`, thrown);
  });

async function* piecesOf(handle: FileHandle, { path, start, length }: FileRange): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, length - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, start + at);
    if (bytesRead === 0) throw refused(`read "${path}"`, new Error(`it has fewer than ${start + length} bytes`));
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
