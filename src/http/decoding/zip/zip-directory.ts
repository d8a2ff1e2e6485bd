/** The directory at the end of a ZIP archive: it has to list what was read before it. */
import { createHash } from 'node:crypto';
import type { BodyReader } from '../body-reader.js';
import { skipData } from './zip-data.js';
import { isNext, shownName, takeBytes, ZipFault } from './zip-fault.js';
import {
  type DirectoryEnd,
  directoryEnd,
  directoryEntry,
  directoryTail,
  recordBytes,
  recordMarks,
  type ZipEntry,
} from './zip-records.js';

/** By the offset of each file in the archive: what its entry has to say. */
export type FoundFiles = Map<number, string>;

/** A digest of what both entries of a file say. */
export const digestOf = ({ name, method, crc, packed, size }: ZipEntry): string =>
  createHash('sha256').update([method, crc, packed, size, name].join()).digest('base64');

/** Reads the rest of the archive, and empties `found`. Throws ZipFault if both differ. */
export async function readDirectory(reader: BodyReader, found: FoundFiles): Promise<void> {
  const files = found.size;
  const { offset } = reader;
  while (await isNext(reader, recordMarks.directory)) await compareNext(reader, found);
  if (found.size > 0) throw await missing(reader);
  const bytes = reader.offset - offset;
  if (await isNext(reader, recordMarks.directorySignature)) {
    const length = (await takeBytes(reader, 6)).readUInt16LE(4);
    await takeBytes(reader, length);
  }
  const end = await readEnd(reader, offset === 0);
  if (end.parts.some((part) => part > 0)) throw new ZipFault('is one of several parts');
  if (end.files !== files || end.bytes !== bytes || end.offset !== offset) {
    throw new ZipFault('declares another number of files, or another place of its directory');
  }
}

async function compareNext(reader: BodyReader, found: FoundFiles): Promise<void> {
  const record = await takeBytes(reader, recordBytes.directory);
  const entry = directoryEntry(record, await takeBytes(reader, directoryTail(record).all));
  if (found.get(entry.offset) !== digestOf(entry)) {
    throw new ZipFault(`lists the file ${shownName(entry.name)} otherwise than it is`);
  }
  found.delete(entry.offset);
}

async function missing(reader: BodyReader): Promise<ZipFault> {
  const isCut = (await reader.peek(4)).length < 4;
  return new ZipFault(isCut ? 'is incomplete' : 'has a file that its directory does not list');
}

async function readEnd(reader: BodyReader, isFirst: boolean): Promise<DirectoryEnd> {
  let wide: Buffer | undefined;
  if (await isNext(reader, recordMarks.zip64End)) {
    wide = await takeBytes(reader, recordBytes.zip64End);
    await skipData(reader, Number(wide.readBigUInt64LE(4)) + 12 - recordBytes.zip64End);
    if (await isNext(reader, recordMarks.zip64Locator)) await takeBytes(reader, recordBytes.zip64Locator);
  }
  if (!(await isNext(reader, recordMarks.end))) {
    if (isFirst) throw new ZipFault('does not begin as one');
    const isCut = (await reader.peek(4)).length < 4;
    throw new ZipFault(isCut ? 'is incomplete' : 'has other bytes than its records');
  }
  const record = await takeBytes(reader, recordBytes.end);
  await takeBytes(reader, record.readUInt16LE(20));
  return directoryEnd(record, wide);
}
