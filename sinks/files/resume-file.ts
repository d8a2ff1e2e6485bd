/**
 * Verifies that a file of an earlier run still begins with that run's content, before anything is truncated or added.
 */
import { type FileHandle, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import { type Exact, ExactNumber, isObject } from '../../src/core/json/exact.js';
import type { Earlier } from '../contract.js';
import type { Count } from '../counts.js';
import { refused } from '../errors.js';
import type { Content } from './codec.js';
import { openRegular } from './open-regular.js';
import { type PartsPlace, partialOf, placeAsExact, placeFrom } from './parts.js';

/** The checkpoint of a file: its counts, and the CRC-32 of its bytes. */
export interface FileCheckpoint extends Count {
  readonly crc: number;
  /** Compressed or numbered files: where they end. */
  readonly place?: PartsPlace | undefined;
}

export const nowhere: FileCheckpoint = { items: 0, bytes: 0, crc: 0 };

/** Encodes a checkpoint. `name`: of the file, without extension. */
export const checkpointAsExact = ({ items, bytes, crc, place }: FileCheckpoint, name: string): Exact =>
  new Map<string, Exact>([
    ['name', name],
    ['items', new ExactNumber(String(items))],
    ['bytes', new ExactNumber(String(bytes))],
    ['crc', new ExactNumber(String(crc))],
    ...(place === undefined ? [] : placeAsExact(place)),
  ]);

/** Decodes the output of `checkpointAsExact`. Throws ERR_RESUME for anything else: it comes from a file. */
export function checkpointFrom(value: Exact, isPacked: boolean): FileCheckpoint {
  const at = (name: string) => Number(isObject(value) ? String(value.get(name)) : undefined);
  const checkpoint = { items: at('items'), bytes: at('bytes'), crc: at('crc') };
  const place = placeFrom(value);
  if (Object.values(checkpoint).every((count) => Number.isSafeInteger(count) && count >= 0)) {
    if (isPacked === (place !== undefined)) return { ...checkpoint, place };
    throw new ExtractError('ERR_RESUME', 'the run wrote files with other options: resume with the same address');
  }
  throw new ExtractError('ERR_RESUME', 'the checkpoint is not that of an NDJSON file');
}

/**
 * The name of the file of a checkpoint, without extension. Undefined: an earlier version has written it. Throws
 * ERR_RESUME for a text that is the name of no file: it comes from a file.
 */
export function nameIn(checkpoint: Exact): string | undefined {
  const name = isObject(checkpoint) ? checkpoint.get('name') : undefined;
  if (name === undefined) return undefined;
  if (typeof name === 'string' && /^(?!\.)[^/\\\p{Cc}]+$/u.test(name)) return name;
  throw new ExtractError('ERR_RESUME', 'the checkpoint has no valid name of a file');
}

/** A file that a resume can continue. */
export interface LeftFile {
  readonly dataType: string;
  readonly path: string;
  readonly at: FileCheckpoint;
  /** It has its final name already: the earlier run was interrupted while it published. */
  readonly isPublished: boolean;
}

/** When the earlier process ended, and whether it has made a final file of its own. */
interface Leaving extends Pick<Earlier, 'phase'> {
  readonly isMade: ((dataType: string, path: string) => Promise<boolean>) | undefined;
}

/**
 * Finds the file without changing anything; `paths` are the final names of its parts. Throws ERR_RESUME if they have
 * not the content of the earlier run, under temporary or, in the phase `publishing`, final names.
 */
export async function findLeft(
  dataType: string,
  paths: readonly string[],
  at: FileCheckpoint,
  { phase, isMade }: Leaving,
): Promise<LeftFile> {
  const expected = at.place?.file ?? at;
  const path = paths.at(-1) ?? '';
  const partials = paths.map(partialOf);
  const why = await whyOther(partials, expected, at.place?.fileStart);
  if (why === undefined) return { dataType, path, at, isPublished: false };
  if (phase === 'publishing') {
    const names = await Promise.all(
      paths.map(async (each) => ((await exists(partialOf(each))) ? partialOf(each) : each)),
    );
    const isPublished = names.at(-1) === path;
    if ((await whyOther(names, expected, at.place?.fileStart)) === undefined)
      return { dataType, path, at, isPublished };
  }
  if (phase === 'publishing' && (await isMade?.(dataType, path))) return { dataType, path, at, isPublished: true };
  throw new ExtractError('ERR_RESUME', `"${partials.at(-1)}" does not match the checkpoint: ${why}`);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * Describes how the start of the files differs from the checkpoint; undefined: it matches. Reads them once, the last
 * one, which begins after `lastStart` bytes, up to the checkpoint. Throws ERR_SINK if one cannot be read.
 */
async function whyOther(paths: readonly string[], { bytes, crc }: Content, lastStart = 0): Promise<string | undefined> {
  let found: Content = { bytes: 0, crc: 0 };
  for (const [index, path] of paths.entries()) {
    const isLast = index === paths.length - 1;
    if (isLast && found.bytes !== lastStart)
      return `the parts before it have ${found.bytes} bytes, expected ${lastStart}`;
    const sum = await sumOfFile(path, isLast ? bytes : Number.MAX_SAFE_INTEGER, found);
    if (sum === undefined) return isLast ? 'it is missing' : `"${path}" is missing`;
    found = sum;
  }
  if (found.bytes < bytes) return `it has ${found.bytes - lastStart} bytes, expected ${bytes - lastStart}`;
  return found.crc === crc ? undefined : `its first ${bytes - lastStart} bytes were modified`;
}

/** The content with that of the file, up to `end` in all; undefined: there is no file. */
async function sumOfFile(path: string, end: number, before: Content): Promise<Content | undefined> {
  try {
    const handle = await openRegular(path);
    try {
      return await sumOf(handle, end, before);
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return undefined;
    throw refused(`read "${path}"`, thrown);
  }
}

const pieceBytes = 1024 * 1024;

async function sumOf(handle: FileHandle, end: number, before: Content): Promise<Content> {
  const piece = Buffer.allocUnsafe(Math.max(0, Math.min(pieceBytes, end - before.bytes)));
  let { bytes, crc } = before;
  while (bytes < end) {
    const most = Math.min(piece.length, end - bytes);
    const { bytesRead } = await handle.read(piece, 0, most, bytes - before.bytes);
    if (bytesRead === 0) break;
    crc = crc32(piece.subarray(0, bytesRead), crc);
    bytes += bytesRead;
  }
  return { bytes, crc };
}
