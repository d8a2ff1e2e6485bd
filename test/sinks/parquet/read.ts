/** Reads a Parquet file back with hyparquet: exact numbers, and items as they were. */
import { readFileSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';

const zstd: unknown = Reflect.get(zlib, 'zstdDecompressSync');

const compressors = {
  GZIP: (bytes: Uint8Array) => zlib.gunzipSync(bytes),
  ...(typeof zstd === 'function' && { ZSTD: (bytes: Uint8Array) => (zstd as typeof zlib.gunzipSync)(bytes) }),
};

export interface Table {
  readonly metadata: FileMetaData;
  /** The types of the columns and of what is in them, by path. */
  readonly types: Readonly<Record<string, string>>;
  /** Integers are bigint, decimals their exact text. */
  readonly rows: readonly Record<string, unknown>[];
}

type Element = FileMetaData['schema'][number];

/** Reads the whole file. */
export async function readParquet(path: string): Promise<Table> {
  const bytes = readFileSync(path);
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const schema = metadata.schema.map(withoutDecimal);
  const rows = await parquetReadObjects({ file, metadata: { ...metadata, schema }, compressors });
  const tree = treeOf(metadata.schema);
  return { metadata, types: typesOf(tree), rows: rows.map((row) => exactValue(row, tree) as Record<string, unknown>) };
}

/** Decimals are read as they are stored: the reader makes doubles of them. JSON stays text. */
function withoutDecimal(element: Element): Element {
  const { converted_type, logical_type, ...rest } = element;
  if (converted_type === 'JSON') return { ...rest, converted_type: 'UTF8' };
  return converted_type === 'DECIMAL' ? rest : element;
}

interface Node {
  readonly element: Element;
  readonly children: readonly Node[];
}

function treeOf(schema: readonly Element[]): Node {
  let at = 0;
  const next = (): Node => {
    const element = schema[at++];
    if (element === undefined) throw new Error('the schema is too short');
    return { element, children: Array.from({ length: element.num_children ?? 0 }, next) };
  };
  return next();
}

function typesOf({ children }: Node, before = ''): Record<string, string> {
  return Object.assign(
    {},
    ...children.map((child) => {
      const path = `${before}${child.element.name}`;
      if (child.children.length > 0) return typesOf(child, `${path}.`);
      const { type, converted_type: converted, precision, scale } = child.element;
      if (converted === 'DECIMAL') return { [path]: `${type} DECIMAL(${precision},${scale})` };
      return { [path]: converted ?? child.element.logical_type?.type ?? type };
    }),
  );
}

function exactValue(value: unknown, { element, children }: Node): unknown {
  if (value === null || value === undefined) return null;
  if (element.converted_type === 'DECIMAL') return decimalText(value, element.scale ?? 0);
  if (element.converted_type === 'LIST') {
    const node = children[0]?.children[0];
    if (node === undefined || !Array.isArray(value)) throw new Error(`"${element.name}" is no list`);
    return value.map((each) => exactValue(each, node));
  }
  if (children.length === 0) return value;
  return Object.fromEntries(
    children.map((child) => [child.element.name, exactValue(Reflect.get(Object(value), child.element.name), child)]),
  );
}

function decimalText(value: unknown, scale: number): string {
  const unscaled = value instanceof Uint8Array ? signed(value) : BigInt(String(value));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${unscaled < 0n ? '-' : ''}${whole}${scale > 0 ? `.${digits.slice(-scale)}` : ''}`;
}

const signed = (bytes: Uint8Array): bigint =>
  BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
