/**
 * What a Parquet file says of itself, by the numbers of the fields in
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
 */
import { createBytes } from '../growing-bytes.js';
import type { Chunk, EncodedPage } from './chunk.js';
import { type LeafField, type ParquetField, type StructField, shortDigits } from './parquet-fields.js';
import {
  binary,
  bool,
  encodeStruct,
  i32,
  i32List,
  i64,
  struct,
  structList,
  structs,
  type ThriftStruct,
  text,
  textList,
} from './thrift.js';

export interface PageSizes {
  /** Before compression. */
  readonly fullBytes: number;
  readonly bytes: number;
}

const [PLAIN, RLE, RLE_DICTIONARY] = [0, 3, 8];
const [DATA_PAGE, DICTIONARY_PAGE] = [0, 2];

/** The header of a page with values; `count` has nulls too. */
export function dataPageHeader(page: PageSizes & { readonly count: number; readonly usesDictionary: boolean }): Buffer {
  const encoding = i32(page.usesDictionary ? RLE_DICTIONARY : PLAIN);
  const data = struct([1, i32(page.count)], [2, encoding], [3, i32(RLE)], [4, i32(RLE)]);
  return encodeStruct(struct([1, i32(DATA_PAGE)], [2, i32(page.fullBytes)], [3, i32(page.bytes)], [5, data]));
}

/** The header of a dictionary. */
export function dictionaryPageHeader(page: PageSizes & { readonly count: number }): Buffer {
  const data = struct([1, i32(page.count)], [2, i32(PLAIN)]);
  return encodeStruct(struct([1, i32(DICTIONARY_PAGE)], [2, i32(page.fullBytes)], [3, i32(page.bytes)], [7, data]));
}

/** A row group, encoded: its columns are not kept. */
export interface RowGroup {
  readonly bytes: Buffer;
  readonly rows: number;
}

/** A column of a row group, and where it begins in the file. */
export interface PlacedChunk extends Chunk {
  readonly leaf: LeafField;
  readonly at: number;
}

/** Collects the columns of a row group. `codec`: the number of its compression. */
export function beginRowGroup(codec: number) {
  const columns = createBytes(1024);
  let [count, from, full, stored] = [0, 0, 0, 0];
  return {
    add(chunk: PlacedChunk): void {
      const bytes = encodeStruct(columnChunk(chunk, codec));
      columns.copy(bytes, 0, bytes.length);
      if (count === 0) from = chunk.at;
      count += 1;
      full += fullBytes(chunk);
      stored += storedBytes(chunk);
    },
    end(rows: number): RowGroup {
      const list = structs(count, columns.take());
      const group = struct([1, list], [2, i64(full)], [3, i64(rows)], [5, i64(from)], [6, i64(stored)]);
      return { bytes: encodeStruct(group), rows };
    },
  };
}

/** In the order of the file. */
export const pagesOf = ({ dictionary, pages }: Chunk): readonly EncodedPage[] =>
  dictionary === undefined ? pages : [dictionary, ...pages];

const storedBytes = (chunk: Chunk): number => pagesOf(chunk).reduce((sum, { bytes }) => sum + bytes.length, 0);

const fullBytes = (chunk: Chunk): number => pagesOf(chunk).reduce((sum, page) => sum + page.fullBytes, 0);

function columnChunk(chunk: PlacedChunk, codec: number): ThriftStruct {
  const { leaf, at, dictionary, bounds } = chunk;
  const statistics = struct(
    [3, i64(chunk.nulls)],
    [5, bounds && binary(bounds.max)],
    [6, bounds && binary(bounds.min)],
  );
  const metadata = struct(
    [1, i32(physicalType(leaf))],
    [2, i32List(dictionary === undefined ? [PLAIN, RLE] : [PLAIN, RLE, RLE_DICTIONARY])],
    [3, textList(leaf.path)],
    [4, i32(codec)],
    [5, i64(chunk.values)],
    [6, i64(fullBytes(chunk))],
    [7, i64(storedBytes(chunk))],
    [9, i64(at + (dictionary?.bytes.length ?? 0))],
    [11, dictionary && i64(at)],
    [12, statistics],
  );
  return struct([2, i64(0)], [3, metadata]);
}

/** The end of a file but for its length and its last four bytes. `note`: a key and a text of our own. */
export function footer(root: StructField, groups: readonly RowGroup[], note: readonly [string, string]): Buffer {
  const schema = [struct([4, text('root')], [5, i32(root.members.length)])];
  for (const { field } of root.members) addSchema(field, schema);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const bytes = Buffer.concat(groups.map((group) => group.bytes));
  const [key, value] = note;
  const orders = Array.from({ length: root.endLeaf }, () => struct([1, struct()]));
  const metadata = struct(
    [1, i32(1)],
    [2, structList(schema)],
    [3, i64(rows)],
    [4, structs(groups.length, bytes)],
    [5, structList([struct([1, text(key)], [2, text(value)])])],
    [6, text('rxtract')],
    [7, structList(orders)],
  );
  return encodeStruct(metadata);
}

const [OPTIONAL, REPEATED] = [1, 2];

/** A list is a group of the members `list.element`, as the format demands. */
function addSchema(field: ParquetField, schema: ThriftStruct[]): void {
  const name = text(field.name);
  if (field.type === 'leaf') schema.push(leafElement(field));
  else if (field.type === 'struct') {
    schema.push(struct([3, i32(OPTIONAL)], [4, name], [5, i32(field.members.length)]));
    for (const member of field.members) addSchema(member.field, schema);
  } else {
    const list = struct([3, struct()]);
    schema.push(struct([3, i32(OPTIONAL)], [4, name], [5, i32(1)], [6, i32(convertedTypes.list ?? 0)], [10, list]));
    schema.push(struct([3, i32(REPEATED)], [4, text('list')], [5, i32(1)]));
    addSchema(field.element, schema);
  }
}

/** A time without an offset has none: readers of old would take it for one of UTC. */
const convertedTypes: Readonly<Record<string, number>> = {
  text: 0,
  list: 3,
  decimal: 5,
  date: 6,
  instant: 10,
  json: 19,
};
const [INT64, FIXED_LEN_BYTE_ARRAY] = [2, 7];
const physicalTypes = {
  boolean: 0,
  integer: INT64,
  double: 5,
  text: 6,
  json: 6,
  date: 1,
  time: INT64,
  instant: INT64,
  uuid: FIXED_LEN_BYTE_ARRAY,
} as const;

function physicalType({ kind, precision }: LeafField): number {
  if (kind !== 'decimal') return physicalTypes[kind];
  return precision > shortDigits ? FIXED_LEN_BYTE_ARRAY : INT64;
}

function leafElement(leaf: LeafField): ThriftStruct {
  const { kind, precision, scale } = leaf;
  const type = physicalType(leaf);
  const isDecimal = kind === 'decimal';
  const converted = convertedTypes[kind];
  return struct(
    [1, i32(type)],
    [2, type === FIXED_LEN_BYTE_ARRAY ? i32(16) : undefined],
    [3, i32(OPTIONAL)],
    [4, text(leaf.name)],
    [6, converted === undefined ? undefined : i32(converted)],
    [7, isDecimal ? i32(scale) : undefined],
    [8, isDecimal ? i32(precision) : undefined],
    [10, logicalType(leaf)],
  );
}

const micros = struct([2, struct()]);

function logicalType({ kind, precision, scale }: LeafField): ThriftStruct | undefined {
  if (kind === 'text') return struct([1, struct()]);
  if (kind === 'json') return struct([12, struct()]);
  if (kind === 'date') return struct([6, struct()]);
  if (kind === 'uuid') return struct([14, struct()]);
  if (kind === 'time' || kind === 'instant') return struct([8, struct([1, bool(kind === 'instant')], [2, micros])]);
  return kind === 'decimal' ? struct([5, struct([1, i32(scale)], [2, i32(precision)])]) : undefined;
}
