/** What is wrong with a ZIP archive, and the reading of its records: an incomplete one is a fault. */
import type { BodyReader } from '../body-reader.js';

/** What is wrong, in words; the archive or the file before them, and the place, are added by `unzip`. */
export class ZipFault extends Error {}

/** Whether the next record has this mark. */
export async function isNext(reader: BodyReader, mark: number): Promise<boolean> {
  const bytes = await reader.peek(4);
  return bytes.length === 4 && bytes.readUInt32LE() === mark;
}

/** Skips bytes and returns them. */
export async function takeBytes(reader: BodyReader, bytes: number): Promise<Buffer> {
  const taken = await reader.peek(bytes);
  if (taken.length < bytes) throw new ZipFault('is incomplete');
  reader.skip(bytes);
  return taken;
}

/** What has arrived. Throws ZipFault at the end of the body. */
export async function arrived(reader: BodyReader): Promise<Buffer> {
  const held = await reader.some();
  if (held.length === 0) throw new ZipFault('is incomplete');
  return held;
}

const longestName = 80;

export const shownName = (name: string): string =>
  JSON.stringify(name.length > longestName ? `${name.slice(0, longestName)}...` : name);
