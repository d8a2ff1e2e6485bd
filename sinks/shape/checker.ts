/** Finds items that do not fit a shape: the shape becomes a program for assembly/shape.ts, which reads the bytes. */

import { type Items, startOf } from '../../src/core/model/batch.js';
import { wasm } from '../../src/generated/shape-wasm.js';
import { type TypeName, typeNames, type ValueShape } from './value-shape.js';

export interface ShapeChecker {
  /** The first item from `from` on that may not fit, or the count of the items. One may be written in another way. */
  firstUnfit(items: Items, from: number): number;
}

/** The functions that assembly/shape.ts exports. Addresses and lengths are in bytes. */
interface Calls {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  itemsAt(): number;
  programAt(): number;
  check(node: number, from: number, to: number): number;
}

/** The part of WebAssembly used here; the Node types lack it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: unknown };
};

/** As in assembly/shape.ts. */
const mostBytes = 131_072;
const pageBytes = 65_536;

/** All checkers of a process have one module. It holds nothing. */
let module: object | undefined;

/** Compiles the module, with the flags of V8 that there are now. */
export function compileChecker(): object {
  module ??= new WebAssembly.Module(Buffer.from(wasm, 'base64'));
  return module;
}

export function createChecker(shape: ValueShape): ShapeChecker {
  // The exports are those of assembly/shape.ts, which the build compiled into `wasm`.
  const calls = new WebAssembly.Instance(compileChecker()).exports as Calls;
  const base = calls.programAt();
  const { bytes, root } = compiled(shape, base);
  const more = base + bytes.length - calls.memory.buffer.byteLength;
  if (more > 0) calls.memory.grow(Math.ceil(more / pageBytes));
  const memory = new Uint8Array(calls.memory.buffer);
  memory.set(bytes, base);
  const itemsAt = calls.itemsAt();
  return {
    firstUnfit(items, from) {
      for (let first = from; first < items.count; ) {
        const end = endOfPiece(items, first);
        const [start, stop] = [startOf(items, first), startOf(items, end)];
        if (end === first) return first; // it is too long, so it is read with care
        memory.set(items.bytes.subarray(start, stop), itemsAt);
        const at = calls.check(root, itemsAt, itemsAt + stop - start);
        if (at < itemsAt + stop - start) return itemAtOffset(items, start + at - itemsAt, first, end);
        first = end;
      }
      return items.count;
    },
  };
}

/** The index after the last item of those from `first` on that fit into the memory. */
function endOfPiece(items: Items, first: number): number {
  const most = startOf(items, first) + mostBytes;
  if (items.bytes.length <= most) return items.count;
  return lastWhere(first, items.count, (index) => startOf(items, index) <= most);
}

const itemAtOffset = (items: Items, offset: number, first: number, end: number): number =>
  lastWhere(first, end, (index) => startOf(items, index) <= offset);

/** The last index for which a condition is true; it is for the first one, and never again once it is not. */
function lastWhere(first: number, end: number, isTrue: (index: number) => boolean): number {
  let [low, high] = [first, end];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isTrue(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

const any = 1;
const forms = { date: 1, 'date-time': 2, uuid: 3 } as const;
const oneOf = 4;

/** Writes the program of a shape, as it is at an address of the memory. */
function compiled(shape: ValueShape, base: number): { readonly bytes: Uint8Array; readonly root: number } {
  const parts: Uint8Array[] = [];
  let end = base;
  const put = (part: Uint8Array): number => {
    const padded = new Uint8Array((part.length + 7) & ~7);
    padded.set(part);
    parts.push(padded);
    end += padded.length;
    return end - padded.length;
  };
  const putFields = (fields: readonly number[]): number => put(new Uint8Array(Uint32Array.from(fields).buffer));
  /** The fields of a text. */
  const putText = (text: string): readonly number[] => {
    const bytes = Buffer.from(text);
    const first = Buffer.alloc(16);
    bytes.copy(first, 0, 0, 8);
    first.fill(0xff, 8, 8 + Math.min(8, bytes.length));
    return [...new Uint32Array(new Uint8Array(first).buffer), put(bytes), bytes.length];
  };
  const putNode = (node: ValueShape): number => {
    if (node.types.size === 0) return any;
    const { properties, required, values } = node;
    const members = [...properties].flatMap(([name, member]) => [
      ...putText(`${JSON.stringify(name)}:`),
      putNode(member),
      required.has(name) ? 1 : 0,
      0, // seen
      0, // space
    ]);
    const texts = (values ?? []).flatMap((value) => putText(JSON.stringify(value)));
    const [membersAt, textsAt] = [putFields(members), putFields(texts)];
    const form = values === undefined ? (node.format === undefined ? 0 : forms[node.format]) : oneOf;
    return putFields([
      bitsOf(node.types),
      form,
      textsAt,
      textsAt + texts.length * 4,
      node.items === undefined ? any : putNode(node.items),
      membersAt,
      membersAt + members.length * 4,
      required.size,
      node.rest === undefined ? 0 : putNode(node.rest),
    ]);
  };
  const root = putNode(shape);
  return { bytes: new Uint8Array(Buffer.concat(parts)), root };
}

const bitsOf = (types: ReadonlySet<TypeName>): number =>
  typeNames.reduce((bits, type, place) => (types.has(type) ? bits | (1 << place) : bits), 0);
