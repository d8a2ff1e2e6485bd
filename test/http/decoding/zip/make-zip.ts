/** Writes ZIP archives in every form that writers use, and with what is wrong in some of them. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface FileInZip {
  readonly name: string;
  readonly data: string | Buffer;
  readonly isStored?: boolean;
  /** The record after the data; absent: sizes come before the data. */
  readonly descriptor?: 'signed' | 'bare' | 'wide' | 'wide and bare';
  /** Sizes in the field for large files. */
  readonly isWide?: boolean;
  readonly isEncrypted?: boolean;
  readonly method?: number;
  /** What is declared instead of the truth, in both entries. */
  readonly lies?: { readonly crc?: number; readonly size?: number; readonly packed?: number };
  /** The name in the directory. */
  readonly otherName?: string;
  /** Of another field, which comes before that for large files. */
  readonly extra?: Buffer;
}

export interface ZipForm {
  readonly comment?: string;
  /** The records of ZIP64 at the end. */
  readonly isWide?: boolean;
  readonly files?: number;
  readonly part?: number;
  /** A signature of the directory. */
  readonly isSigned?: boolean;
}

/** Numbers of a size in bytes, one after the other, little-endian. */
function numbers(...pairs: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer {
  return Buffer.concat(
    pairs.map(([bytes, value]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      return field.subarray(0, bytes);
    }),
  );
}

const ALL = 0xffff_ffff;

export function makeZip(files: readonly FileInZip[], form: ZipForm = {}): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const [local, entry] = recordsOf(file, offset);
    parts.push(local);
    entries.push(entry);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const signature = form.isSigned === true ? numbers([4, 0x05054b50], [2, 3], [2, 1], [2, 0]).subarray(0, 9) : noBytes;
  return Buffer.concat([...parts, directory, signature, endOf(form, files.length, directory.length, offset)]);
}

const noBytes = Buffer.alloc(0);

function recordsOf(file: FileInZip, offset: number): readonly [Buffer, Buffer] {
  const { name, isStored = false, isWide = false, descriptor, lies = {}, otherName = name, extra = noBytes } = file;
  const data = Buffer.from(file.data);
  const packed = isStored ? data : deflateRawSync(data);
  const truth = { crc: crc32(data), size: data.length, packed: packed.length, ...lies };
  const flags = (file.isEncrypted === true ? 1 : 0) + (descriptor === undefined ? 0 : 8);
  const method = file.method ?? (isStored ? 0 : 8);
  const declared = descriptor === undefined ? truth : { crc: 0, size: 0, packed: 0 };
  const fieldOf = (sizes: readonly number[]) =>
    isWide
      ? Buffer.concat([numbers([2, 1], [2, sizes.length * 8]), ...sizes.map((size) => numbers([8, size]))])
      : noBytes;
  const shown = (size: number): readonly [4, number] => [4, isWide ? ALL : size];

  const field = Buffer.concat([extra, fieldOf([declared.size, declared.packed])]);
  const local = Buffer.concat([
    numbers([4, 0x04034b50], [2, 45], [2, flags], [2, method], [4, 0], [4, declared.crc]),
    numbers(shown(declared.packed), shown(declared.size), [2, Buffer.byteLength(name)], [2, field.length]),
    ...[Buffer.from(name), field, packed, descriptorOf(truth, descriptor)],
  ]);
  const ownField = Buffer.concat([extra, fieldOf([truth.size, truth.packed, offset])]);
  const entry = Buffer.concat([
    numbers([4, 0x02014b50], [2, 45], [2, 45], [2, flags], [2, method], [4, 0], [4, truth.crc]),
    numbers(shown(truth.packed), shown(truth.size), [2, Buffer.byteLength(otherName)], [2, ownField.length]),
    numbers([2, 0], [2, 0], [2, 0], [4, 0], shown(offset)),
    ...[Buffer.from(otherName), ownField],
  ]);
  return [local, entry];
}

function descriptorOf(
  { crc, size, packed }: { readonly crc: number; readonly size: number; readonly packed: number },
  form: FileInZip['descriptor'],
): Buffer {
  if (form === undefined) return noBytes;
  const bytes = form.startsWith('wide') ? 8 : 4;
  const record = numbers([4, 0x08074b50], [4, crc], [bytes, packed], [bytes, size]);
  return form.endsWith('bare') ? record.subarray(4) : record;
}

function endOf({ comment = '', isWide = false, files, part = 0 }: ZipForm, count: number, bytes: number, at: number) {
  const own = files ?? count;
  const wide = Buffer.concat([
    numbers([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, own], [8, own], [8, bytes], [8, at]),
    numbers([4, 0x07064b50], [4, 0], [8, at + bytes], [4, 1]),
  ]);
  const numbersOf = isWide ? ([0xffff, ALL, ALL] as const) : ([own, bytes, at] as const);
  return Buffer.concat([
    isWide ? wide : noBytes,
    numbers([4, 0x06054b50], [2, part], [2, part], [2, numbersOf[0]], [2, numbersOf[0]], [4, numbersOf[1]]),
    numbers([4, numbersOf[2]], [2, Buffer.byteLength(comment)]),
    Buffer.from(comment),
  ]);
}
