/** The data of a file in a ZIP archive: passed on as it arrives, with its checksum and sizes. */
import { crc32 } from 'node:zlib';
import type { TakeChunk } from '../../../core/util/byte-source.js';
import { rawDeflate, zlibDecoder } from '../../transport/zlib-decoder.js';
import type { BodyReader } from '../body-reader.js';
import { arrived, ZipFault } from './zip-fault.js';
import { descriptorForms, type ZipEntry } from './zip-records.js';

export type Measured = Pick<ZipEntry, 'crc' | 'packed' | 'size'>;

/** A part of the data: counted, then passed on. */
class Measure {
  crc = 0;
  packed = 0;
  size = 0;
  readonly #most: number;
  readonly #take: TakeChunk;

  constructor({ hasDescriptor, size }: ZipEntry, take: TakeChunk) {
    this.#most = hasDescriptor ? Number.POSITIVE_INFINITY : size;
    this.#take = take;
  }

  readonly take: TakeChunk = (piece) => {
    this.crc = crc32(piece, this.crc);
    this.size += piece.length;
    if (this.size > this.#most) throw new ZipFault(`has more than the ${this.#most} bytes that are declared`);
    return this.#take(piece);
  };
}

/** Decodes the data of a file. Throws ZipFault for data that is not what the archive declares. */
export async function readData(reader: BodyReader, entry: ZipEntry, take: TakeChunk): Promise<Measured> {
  const measure = new Measure(entry, take);
  if (entry.method === DEFLATED) await inflate(reader, entry, measure);
  else if (entry.hasDescriptor) await copyToDescriptor(reader, measure);
  else await copy(reader, entry.packed, measure);
  const { crc, packed, size } = measure;
  if (!entry.hasDescriptor) check(entry, { crc, packed, size });
  return { crc, packed, size };
}

export const STORED = 0;
export const DEFLATED = 8;

function check(declared: Measured, { crc, packed, size }: Measured): void {
  if (packed !== declared.packed || size !== declared.size) {
    const found = `${size} bytes in ${packed}`;
    throw new ZipFault(`has ${found}, and is declared with ${declared.size} in ${declared.packed}`);
  }
  if (crc !== declared.crc) throw new ZipFault('has another checksum than it is declared with');
}

const anyByte = Buffer.alloc(1);

/** The data ends where its last block does; a declared size must agree. */
async function inflate(reader: BodyReader, entry: ZipEntry, measure: Measure): Promise<void> {
  const most = entry.hasDescriptor ? Number.POSITIVE_INFINITY : entry.packed;
  const decoder = zlibDecoder(rawDeflate);
  try {
    for (let isOver = false; !isOver; ) {
      // After all bytes that are declared, one more is not read if the data has ended.
      const isAll = measure.packed === most;
      const chunk = isAll ? anyByte : (await arrived(reader)).subarray(0, most - measure.packed);
      const waiting = decoder.write(chunk, measure.take);
      if (waiting !== undefined) await waiting;
      isOver = decoder.unread() > 0;
      if (isAll && !isOver) throw new ZipFault(`has more data than the ${most} bytes that are declared`);
      const used = isAll ? 0 : chunk.length - decoder.unread();
      reader.skip(used);
      measure.packed += used;
    }
  } finally {
    decoder.close();
  }
}

async function copy(reader: BodyReader, bytes: number, measure: Measure): Promise<void> {
  while (measure.packed < bytes)
    await pass(reader, (await arrived(reader)).subarray(0, bytes - measure.packed), measure);
}

async function pass(reader: BodyReader, piece: Buffer, measure: Measure): Promise<void> {
  measure.packed += piece.length;
  reader.skip(piece.length);
  await measure.take(piece);
}

const descriptorMark = Buffer.from('PK\x07\x08', 'latin1');
/** The longest descriptor, and the beginning of the record after it. */
const DESCRIPTOR_BYTES = 26;

/** Data that is stored without its size ends where a descriptor agrees with all before it. */
async function copyToDescriptor(reader: BodyReader, measure: Measure): Promise<void> {
  while ((await descriptorAt(reader, measure)) === 0) {
    const held = await arrived(reader);
    const next = held.indexOf(descriptorMark, 1);
    await pass(reader, held.subarray(0, next > 0 ? next : Math.max(1, held.length - 3)), measure);
  }
}

/** Skips the record after the data, which must agree with it. */
export async function skipDescriptor(reader: BodyReader, measured: Measured): Promise<void> {
  const length = await descriptorAt(reader, measured);
  if (length === 0) throw new ZipFault('has another checksum or size than the record after it says');
  reader.skip(length);
}

/** The length of the descriptor at this place that agrees with the data; 0: there is none. */
async function descriptorAt(reader: BodyReader, measured: Measured): Promise<number> {
  const next = await reader.peek(DESCRIPTOR_BYTES);
  const found = descriptorForms(measured).find(
    (form) =>
      form.equals(next.subarray(0, form.length)) && next.toString('latin1', form.length, form.length + 2) === 'PK',
  );
  return found?.length ?? 0;
}

/** Skips data without decoding it. */
export async function skipData(reader: BodyReader, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; ) {
    const { length } = await arrived(reader);
    const skipped = Math.min(length, left);
    reader.skip(skipped);
    left -= skipped;
  }
}
