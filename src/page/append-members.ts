/** Adds members to the items of a slab at the byte level, without parsing them. */
import { CLOSE_OBJECT, memberNames, OPEN_OBJECT } from '../core/json/byte-steps.js';
import { type ExactObject, stringifyExact } from '../core/json/exact.js';
import { type Items, startOf } from '../core/model/batch.js';
import { asBuffer } from '../core/util/as-buffer.js';

const NEWLINE = 0x0a;

/**
 * The bytes around an item: `{"data":` before an item that is not an object, the new members and the closing brace
 * after it.
 */
interface Frame {
  readonly before: Buffer;
  /** Bytes of the item to keep: all of it, or an object without its closing brace. */
  readonly kept: number;
  readonly after: Buffer;
}

const nothing = Buffer.alloc(0);
const wrapping = Buffer.from('{"data":');

/**
 * Returns a slab whose items have the columns after their own members, in order; without columns, the slab itself. An
 * item that is not an object becomes `{"data": item, ...}`. No member is lost: if an item has a member with a column's
 * name, the column becomes NAME_u0, NAME_u1 and so on, the first free name. The reference program decides this per
 * table, which is unknown while streaming; this function decides per item. docs/12-compatibility.md#output.
 */
export function appendMembers(slab: Items, columns: ExactObject): Items {
  if (columns.size === 0 || slab.count === 0) return slab;
  const bytes = asBuffer(slab.bytes);
  const frames = framesOf({ ...slab, bytes }, columns);
  const size = frames.reduce((sum, { before, kept, after }) => sum + before.length + kept + after.length, 0);

  const made = Buffer.allocUnsafeSlow(size);
  const offsets = new Uint32Array(slab.count + 1);
  let at = 0;
  for (const [index, { before, kept, after }] of frames.entries()) {
    const start = startOf(slab, index);
    at += before.copy(made, at);
    at += bytes.copy(made, at, start, start + kept);
    at += after.copy(made, at);
    offsets[index + 1] = at;
  }
  return { bytes: made, offsets, count: slab.count };
}

interface Slab extends Items {
  readonly bytes: Buffer;
}

function framesOf(slab: Slab, columns: ExactObject): readonly Frame[] {
  const tail = tailOf(columns);
  const toEmpty = tail.subarray(1);
  let toScalar: Buffer | undefined; // most slabs have objects only
  const mayClash = clashFinder(slab, columns);
  const tailFor = tailChooser(columns, tail);

  const frameOf = (start: number, end: number): Frame => {
    if (slab.bytes[start] !== OPEN_OBJECT) {
      toScalar ??= tailOf(renamed(columns, new Set(['data'])));
      return { before: wrapping, kept: end - start, after: toScalar };
    }
    const kept = end - start - 1;
    if (kept === 1) return { before: nothing, kept, after: toEmpty };
    if (!mayClash(start, end)) return { before: nothing, kept, after: tail };
    return { before: nothing, kept, after: tailFor(memberNames(slab.bytes, start)) };
  };
  return Array.from({ length: slab.count }, (_, index) => frameOf(startOf(slab, index), startOf(slab, index + 1) - 1));
}

/** Returns `,"name":value,...}` and the newline. */
function tailOf(columns: ExactObject): Buffer {
  const members = [...columns].map(([name, value]) => `,${JSON.stringify(name)}:${stringifyExact(value)}`);
  return Buffer.concat([Buffer.from(members.join('')), Buffer.of(CLOSE_OBJECT, NEWLINE)]);
}

/**
 * Returns a function that selects the tail for an item with the given names; items with the same clashes share a tail.
 */
function tailChooser(columns: ExactObject, tail: Buffer): (names: ReadonlySet<string>) => Buffer {
  const tails = new Map<string, Buffer>();
  const own = [...columns.keys()];
  return (names) => {
    if (own.every((name) => !names.has(name))) return tail;
    const members = renamed(columns, names);
    const key = JSON.stringify([...members.keys()]);
    const made = tails.get(key) ?? tailOf(members);
    tails.set(key, made);
    return made;
  };
}

/** Renames columns whose names are taken, to names that no other column has. */
function renamed(columns: ExactObject, taken: ReadonlySet<string>): ExactObject {
  const used = new Set([...taken, ...columns.keys()]);
  const members = [...columns].map(([name, value]) => {
    if (!taken.has(name)) return [name, value] as const;
    let number = 0;
    while (used.has(`${name}_u${number}`)) number++;
    used.add(`${name}_u${number}`);
    return [`${name}_u${number}`, value] as const;
  });
  return new Map(members);
}

/**
 * Returns a function that tests whether an item may have a member with a column's name: its bytes contain the name, or
 * an escape that could hide it. Most slabs contain neither.
 */
function clashFinder({ bytes }: Slab, columns: ExactObject): (start: number, end: number) => boolean {
  const names = [...columns.keys()];
  const needles = ['\\u', ...names.map((name) => JSON.stringify(name))];
  if (names.some((name) => name.includes('/'))) needles.push('\\/');
  const places = needles.map((needle) => placesOf(bytes, Buffer.from(needle)));
  return (start, end) => places.some((nextFrom) => nextFrom(start) < end);
}

/**
 * Returns a function that finds the next occurrence of a needle, for growing start positions: it searches each byte
 * once.
 */
function placesOf(bytes: Buffer, needle: Buffer): (from: number) => number {
  let next = -1;
  return (from) => {
    if (next < from) {
      const found = bytes.indexOf(needle, from);
      next = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return next;
  };
}
