/**
 * Verifies that a file of an earlier run still begins with that run's content, before anything is truncated or added.
 */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import { type Exact, ExactNumber, isObject } from '../../src/core/json/exact.js';
import type { Earlier } from '../contract.js';
import type { Count } from '../counts.js';
import { refused } from '../errors.js';
import { openRegular } from './open-regular.js';
import { partialOf } from './partial-files.js';

/** The checkpoint of a file: its counts, and the CRC-32 of its bytes. */
export interface FileCheckpoint extends Count {
  readonly crc: number;
}

export const nowhere: FileCheckpoint = { items: 0, bytes: 0, crc: 0 };

/** Encodes a checkpoint. */
export const checkpointAsExact = ({ items, bytes, crc }: FileCheckpoint): Exact =>
  new Map([
    ['items', new ExactNumber(String(items))],
    ['bytes', new ExactNumber(String(bytes))],
    ['crc', new ExactNumber(String(crc))],
  ]);

/** Decodes the output of `checkpointAsExact`. Throws ERR_RESUME for anything else: it comes from a file. */
export function checkpointFrom(value: Exact): FileCheckpoint {
  const at = (name: string) => Number(isObject(value) ? String(value.get(name)) : undefined);
  const checkpoint = { items: at('items'), bytes: at('bytes'), crc: at('crc') };
  if (Object.values(checkpoint).every((count) => Number.isSafeInteger(count) && count >= 0)) return checkpoint;
  throw new ExtractError('ERR_RESUME', 'the checkpoint is not that of an NDJSON file');
}

/** A file that a resume can continue. */
export interface LeftFile {
  readonly dataType: string;
  readonly path: string;
  readonly at: FileCheckpoint;
  /** It has its final name already: the earlier run was interrupted while it published. */
  readonly isPublished: boolean;
}

/** Finds the file without changing anything. Throws ERR_RESUME if neither file has the content of the earlier run. */
export async function findLeft(
  dataType: string,
  path: string,
  at: FileCheckpoint,
  phase: Earlier['phase'],
): Promise<LeftFile> {
  const partial = partialOf(path);
  const why = await whyOther(partial, at);
  if (why === undefined) return { dataType, path, at, isPublished: false };
  if (phase === 'publishing' && (await whyOther(path, at)) === undefined) {
    return { dataType, path, at, isPublished: true };
  }
  throw new ExtractError('ERR_RESUME', `"${partial}" does not match the checkpoint: ${why}`);
}

/**
 * Describes how the start of the file differs from the checkpoint; undefined: it matches. Reads the file once, up to
 * there. Throws ERR_SINK if it cannot be read.
 */
async function whyOther(path: string, { bytes, crc }: FileCheckpoint): Promise<string | undefined> {
  try {
    const handle = await openRegular(path);
    try {
      const found = await sumOf(handle, bytes);
      if (found.bytes < bytes) return `it has ${found.bytes} bytes, expected ${bytes}`;
      return found.crc === crc ? undefined : `its first ${bytes} bytes were modified`;
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return 'it is missing';
    throw refused(`read "${path}"`, thrown);
  }
}

const pieceBytes = 1024 * 1024;

async function sumOf(handle: FileHandle, length: number): Promise<Pick<FileCheckpoint, 'bytes' | 'crc'>> {
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, length));
  let bytes = 0;
  let crc = 0;
  while (bytes < length) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, length - bytes), bytes);
    if (bytesRead === 0) break;
    crc = crc32(piece.subarray(0, bytesRead), crc);
    bytes += bytesRead;
  }
  return { bytes, crc };
}
