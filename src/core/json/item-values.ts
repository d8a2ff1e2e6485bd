/**
 * Parses lines of JSON, some of them at once: as the text of an array, in pieces that fit into the young space of V8.
 * Larger texts cost as much again in page faults. Latin-1 needs no decoding by V8, which is slow in Node 20.
 */
import { isAscii } from 'node:buffer';
import { wasm } from '../../generated/latin1-wasm.js';
import { asBuffer } from '../util/as-buffer.js';

/** As in assembly/latin1.ts. */
const pieceBytes = 64 * 1024;

/** The functions that assembly/latin1.ts exports. Addresses and lengths are in bytes. */
interface Calls {
  readonly memory: { readonly buffer: ArrayBuffer };
  linesAt(): number;
  textAt(): number;
  toLatin1(length: number): number;
}

/** The part of WebAssembly used here; the Node types lack it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: unknown };
};

/** Its memory holds nothing between two calls, and never grows. */
let decoder: Decoder | undefined;
type Decoder = ReturnType<typeof createDecoder>;

/**
 * Returns the values of compact JSON items, each followed by a newline. Their `offsets` are `count + 1` starts. Numbers
 * beyond 2^53 lose digits. Throws a SyntaxError of `JSON.parse`.
 */
export function itemValues(bytes: Uint8Array, offsets: Uint32Array): unknown[] {
  const pieces: unknown[][] = [];
  const count = offsets.length - 1;
  for (let first = 0; first < count; ) {
    const end = endOfPiece(offsets, first);
    pieces.push(parsePiece(bytes, offsets.subarray(first, end + 1)));
    first = end;
  }
  return pieces.length === 1 ? (pieces[0] ?? []) : ([] as unknown[]).concat(...pieces);
}

/** The index after the last item of the piece that begins with item `first`: it has one item or more. */
function endOfPiece(offsets: Uint32Array, first: number): number {
  const most = (offsets[first] ?? 0) + pieceBytes;
  let end = first + 1;
  while ((offsets[end + 1] ?? Number.POSITIVE_INFINITY) <= most) end += 1;
  return end;
}

function parsePiece(bytes: Uint8Array, offsets: Uint32Array): unknown[] {
  const [start = 0, end = 0] = [offsets[0], offsets.at(-1)];
  const lines = bytes.subarray(start, end);
  if (lines.length > pieceBytes) return [JSON.parse(asBuffer(lines).toString(isAscii(lines) ? 'latin1' : 'utf8'))];
  decoder ??= createDecoder();
  return JSON.parse(decoder.latin1(lines) ?? decoder.utf8(lines, offsets));
}

function createDecoder() {
  // The exports are those of assembly/latin1.ts, which the build compiled into `wasm`.
  const calls = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(wasm, 'base64'))).exports as Calls;
  const memory = Buffer.from(calls.memory.buffer);
  const [linesAt, textAt] = [calls.linesAt(), calls.textAt()];
  return {
    /** Undefined: the lines have other characters. */
    latin1(lines: Uint8Array): string | undefined {
      memory.set(lines, linesAt);
      const length = calls.toLatin1(lines.length);
      return length === 0 ? undefined : memory.toString('latin1', textAt, textAt + length);
    },
    utf8(lines: Uint8Array, offsets: Uint32Array): string {
      const start = offsets[0] ?? 0;
      memory.set(lines, textAt + 1);
      for (const offset of offsets) memory[textAt + offset - start] = comma;
      memory[textAt] = openBracket;
      memory[textAt + lines.length] = closeBracket;
      return memory.toString('utf8', textAt, textAt + lines.length + 1);
    },
  };
}

const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
