/** The records of a ZIP archive, as APPNOTE 6.3 describes them: what they say, without their signatures. */

/** The first four bytes of each record. */
export const recordMarks = {
  file: 0x04034b50,
  directory: 0x02014b50,
  directorySignature: 0x05054b50,
  zip64End: 0x06064b50,
  zip64Locator: 0x07064b50,
  end: 0x06054b50,
} as const;

/** Bytes of each record before its parts of variable length. */
export const recordBytes = { file: 30, directory: 46, zip64End: 56, zip64Locator: 20, end: 22 } as const;

/** What an archive says about a file: before its data, and again in its directory. */
export interface ZipEntry {
  /** With slashes between folders; one at the end for a folder. */
  readonly name: string;
  readonly isEncrypted: boolean;
  /** Checksum and sizes come after the data only. */
  readonly hasDescriptor: boolean;
  /** How the data is compressed. */
  readonly method: number;
  readonly crc: number;
  /** Bytes of the data in the archive. */
  readonly packed: number;
  /** Bytes of the file. */
  readonly size: number;
}

/** An entry of the directory at the end of an archive. */
export interface DirectoryEntry extends ZipEntry {
  /** Where the file begins in the archive. */
  readonly offset: number;
}

/** What the last records say about the directory. */
export interface DirectoryEnd {
  readonly files: number;
  readonly bytes: number;
  readonly offset: number;
  /** The numbers of this archive and of that with the directory, of an archive in several parts. */
  readonly parts: readonly number[];
}

/** A number that is larger is in a field of ZIP64. */
const MOST_32 = 0xffff_ffff;
const MOST_16 = 0xffff;
const ZIP64_FIELD = 1;
const ENCRYPTED = 1;
const HAS_DESCRIPTOR = 8;

/** How long the name and the other fields are that follow the record of a file. */
export const fileTail = (record: Buffer) => ({ name: record.readUInt16LE(26), all: tailBytes(record, [26, 28]) });

/** The same of an entry of the directory. */
export const directoryTail = (record: Buffer) => ({
  name: record.readUInt16LE(28),
  all: tailBytes(record, [28, 30, 32]),
});

const tailBytes = (record: Buffer, places: readonly number[]): number =>
  places.reduce((sum, at) => sum + record.readUInt16LE(at), 0);

export function fileEntry(record: Buffer, tail: Buffer): ZipEntry {
  const { name: nameBytes } = fileTail(record);
  const [size, packed] = wideNumbers([record.readUInt32LE(22), record.readUInt32LE(18)], tail.subarray(nameBytes));
  return { ...commonOf(record.subarray(6), tail.subarray(0, nameBytes)), packed, size };
}

export function directoryEntry(record: Buffer, tail: Buffer): DirectoryEntry {
  const { name: nameBytes } = directoryTail(record);
  const fields = tail.subarray(nameBytes, nameBytes + record.readUInt16LE(30));
  const narrow = [record.readUInt32LE(24), record.readUInt32LE(20), record.readUInt32LE(42)] as const;
  const [size, packed, offset] = wideNumbers(narrow, fields);
  return { ...commonOf(record.subarray(8), tail.subarray(0, nameBytes)), packed, size, offset };
}

/** Both records have the same members, from the flags on. */
function commonOf(record: Buffer, name: Buffer): Omit<ZipEntry, 'packed' | 'size'> {
  const flags = record.readUInt16LE(0);
  return {
    name: name.toString('utf8').replaceAll('\\', '/'),
    isEncrypted: (flags & ENCRYPTED) !== 0,
    hasDescriptor: (flags & HAS_DESCRIPTOR) !== 0,
    method: record.readUInt16LE(2),
    crc: record.readUInt32LE(8),
  };
}

/** Replaces numbers that do not fit by those of the field for ZIP64, which has only these, in their order. */
function wideNumbers<const Numbers extends readonly number[]>(narrow: Numbers, fields: Buffer): Numbers;
function wideNumbers(narrow: readonly number[], fields: Buffer): readonly number[] {
  if (!narrow.includes(MOST_32)) return narrow;
  const wide = fieldOf(fields, ZIP64_FIELD);
  let at = 0;
  return narrow.map((number) => {
    if (number !== MOST_32 || at + 8 > wide.length) return number;
    at += 8;
    return Number(wide.readBigUInt64LE(at - 8));
  });
}

const noBytes = Buffer.alloc(0);

function fieldOf(fields: Buffer, id: number): Buffer {
  for (let at = 0; at + 4 <= fields.length; ) {
    const end = at + 4 + fields.readUInt16LE(at + 2);
    if (fields.readUInt16LE(at) === id) return fields.subarray(at + 4, end);
    at = end;
  }
  return noBytes;
}

/** The end of the directory; `wide` is the record of ZIP64 before it, for numbers that do not fit. */
export function directoryEnd(record: Buffer, wide: Buffer | undefined): DirectoryEnd {
  const files = record.readUInt16LE(10);
  const bytes = record.readUInt32LE(12);
  const offset = record.readUInt32LE(16);
  return {
    files: files === MOST_16 && wide !== undefined ? Number(wide.readBigUInt64LE(32)) : files,
    bytes: bytes === MOST_32 && wide !== undefined ? Number(wide.readBigUInt64LE(40)) : bytes,
    offset: offset === MOST_32 && wide !== undefined ? Number(wide.readBigUInt64LE(48)) : offset,
    parts: [4, 6].map((at) => record.readUInt16LE(at)).map((part) => (part === MOST_16 ? 0 : part)),
  };
}

/** The forms of the record after the data of a file: with or without a signature, with sizes of 4 or 8 bytes. */
export function descriptorForms({ crc, packed, size }: Pick<ZipEntry, 'crc' | 'packed' | 'size'>): readonly Buffer[] {
  const narrow = Buffer.alloc(16);
  const wide = Buffer.alloc(24);
  for (const form of [narrow, wide]) {
    form.writeUInt32LE(0x08074b50, 0);
    form.writeUInt32LE(crc, 4);
  }
  narrow.writeUInt32LE(packed % (MOST_32 + 1), 8);
  narrow.writeUInt32LE(size % (MOST_32 + 1), 12);
  wide.writeBigUInt64LE(BigInt(packed), 8);
  wide.writeBigUInt64LE(BigInt(size), 16);
  return [wide, narrow, wide.subarray(4), narrow.subarray(4)];
}
