/** Encodes structs of Parquet's metadata: the compact protocol of Apache Thrift. */
import { createBytes, type GrowingBytes } from '../growing-bytes.js';

/** A field of a struct; undefined is left out. */
export type ThriftValue = ThriftNumber | ThriftBoolean | ThriftBinary | ThriftStruct | ThriftList;

interface ThriftBinary {
  readonly binary: Buffer;
}

/** Its type is its value. */
interface ThriftBoolean {
  readonly isTrue: boolean;
}

interface ThriftNumber {
  readonly type: 'i32' | 'i64';
  readonly value: number;
}

/** Values by the numbers of their fields, in ascending order. */
export interface ThriftStruct {
  readonly fields: readonly (readonly [id: number, value: ThriftValue | undefined])[];
}

/** Encoded elements of one type. */
interface ThriftList {
  readonly elementType: number;
  readonly count: number;
  readonly bytes: Buffer;
}

export const i32 = (value: number): ThriftNumber => ({ type: 'i32', value });
export const i64 = (value: number): ThriftNumber => ({ type: 'i64', value });
export const bool = (isTrue: boolean): ThriftBoolean => ({ isTrue });
export const struct = (...fields: ThriftStruct['fields']): ThriftStruct => ({ fields });
export const binary = (bytes: Buffer): ThriftBinary => ({ binary: bytes });
export const text = (value: string): ThriftBinary => binary(Buffer.from(value));

/** A list of structs that `encodeStruct` has encoded. */
export const structs = (count: number, bytes: Buffer): ThriftList => ({ elementType: STRUCT, count, bytes });

export const structList = (list: readonly ThriftStruct[]): ThriftList =>
  structs(list.length, Buffer.concat(list.map(encodeStruct)));

export const textList = (list: readonly string[]): ThriftList => {
  const out = createBytes(64);
  for (const each of list) writeBinary(Buffer.from(each), out);
  return { elementType: BINARY, count: list.length, bytes: out.take() };
};

export const i32List = (list: readonly number[]): ThriftList => {
  const out = createBytes(16);
  for (const each of list) writeVarint(zigzag(each), out);
  return { elementType: I32, count: list.length, bytes: out.take() };
};

/** The bytes of a struct, with its end. */
export function encodeStruct(value: ThriftStruct): Buffer {
  const out = createBytes(64);
  writeStruct(value, out);
  return out.take();
}

const [TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT] = [1, 2, 5, 6, 8, 9, 12];
const numberTypes = { i32: I32, i64: I64 };

function writeStruct({ fields }: ThriftStruct, out: GrowingBytes): void {
  let last = 0;
  for (const [id, value] of fields) {
    if (value === undefined) continue;
    out.byte(((id - last) << 4) | typeOf(value));
    last = id;
    writeValue(value, out);
  }
  out.byte(0);
}

function typeOf(value: ThriftValue): number {
  if ('binary' in value) return BINARY;
  if ('isTrue' in value) return value.isTrue ? TRUE : FALSE;
  if ('type' in value) return numberTypes[value.type];
  return 'fields' in value ? STRUCT : LIST;
}

function writeValue(value: ThriftValue, out: GrowingBytes): void {
  if ('binary' in value) writeBinary(value.binary, out);
  else if ('type' in value) writeVarint(zigzag(value.value), out);
  else if ('fields' in value) writeStruct(value, out);
  else if ('bytes' in value) {
    if (value.count < 15) out.byte((value.count << 4) | value.elementType);
    else {
      out.byte(0xf0 | value.elementType);
      writeVarint(value.count, out);
    }
    out.copy(value.bytes, 0, value.bytes.length);
  }
}

function writeBinary(bytes: Buffer, out: GrowingBytes): void {
  writeVarint(bytes.length, out);
  out.copy(bytes, 0, bytes.length);
}

/** Up to 2^52: sizes and counts. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

/** Seven bits a byte, the lowest first. Up to 2^53. */
export function writeVarint(value: number, out: GrowingBytes): void {
  let rest = value;
  while (rest >= 128) {
    out.byte((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  out.byte(rest);
}
