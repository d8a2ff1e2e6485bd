/**
 * Drift between runs: a sample of the items of each data type is compared with what earlier runs have seen.
 * docs/15-tables.md#drift-between-runs.
 */
import type { Sink } from '../../sinks/contract.js';
import { differencesOf, type Lacks } from '../../sinks/shape/differences.js';
import { readShapes, shapeDocument } from '../../sinks/shape/shape-document.js';
import { anything, joined, type Observed, type ValueShape } from '../../sinks/shape/value-shape.js';
import { stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Notify } from '../core/model/notice.js';
import type { KnownShape, RunMemory } from '../incremental/run-memory.js';
import { ItemSample, sampling } from './item-sample.js';
import type { ShapeChange } from './job-stats.js';

export interface RememberedShapes {
  /** The sink; a sample of the items that it gets is observed. */
  before(sink: Sink): Sink;
  /** The memory when the run has published. Reports what differs from the memory of before. */
  remember(memory: RunMemory): RunMemory;
  /** What `remember` has reported. */
  changes(): readonly ShapeChange[];
}

export interface RememberedShapesOptions {
  readonly remembered: RunMemory;
  /** A digest of all that decides which members items have: a shape of another one is not compared. */
  readonly mark: string;
  readonly notify: Notify;
  /** Hides secrets in names of members. */
  readonly mask: (text: string) => string;
  /** Earlier processes of the run have read items: those of this one are not all. */
  readonly isRest: boolean;
}

/** The most bytes of a shape in the state. A longer one is kept without its innermost values. */
const longestShape = 16 * 1024;
/** The most bytes of all shapes. */
const longestShapes = 64 * 1024;
const deepest = 8;
/** An object with more members that may be absent has names that are keys of a table: another one is no news. */
const mostOptional = 100;
/** Names that are such keys, however few: numbers, dates and times, UUIDs, other ids in hexadecimal digits. */
const keyName = /^[\d.:+-]*\d[\d.:+TZ-]*$|^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$|^[\da-f]{16,}$/i;
/** A member that fewer objects had may have been there by chance: that it is missing is no news. */
const leastObjects = 20;
/** So many differences of a data type are named. */
const mostChanges = 20;

export function createRememberedShapes(options: RememberedShapesOptions): RememberedShapes {
  const { remembered, mark, mask, isRest } = options;
  const sample = new ItemSample();
  const known = new Map(Object.entries(remembered.shapes ?? {}).filter(([, shape]) => shape.mark === mark));
  let changes: readonly ShapeChange[] = [];

  return {
    before: (sink) => sampling(sample, sink),
    remember({ shapes: _, ...memory }) {
      const next = new Map(known);
      const found: ShapeChange[] = [];
      for (const [dataType, observed] of sample.shapes()) {
        const shape = compact(observed, deepest, mask);
        const before = shapeIn(known.get(dataType));
        if (before === undefined && isRest) continue;
        const own = before === undefined ? [] : differencesOf(before, shape, noneHas).map(({ message }) => message);
        if (own.length > 0) found.push(changeOf(dataType, own));
        const text = shortText(before === undefined ? shape : joined(before, shape));
        if (text === undefined) next.delete(dataType);
        else next.set(dataType, { mark, shape: text });
      }
      changes = found;
      report(found, options);
      const kept = thatFit(next);
      return kept.length === 0 ? memory : { ...memory, shapes: Object.fromEntries(kept) };
    },
    changes: () => changes,
  };
}

/** Enough objects of before had the member, and none of these has it. */
const noneHas: Lacks = ({ seen }, { properties, rest }, name) =>
  (seen?.count ?? 0) >= leastObjects && rest === undefined && !properties.has(name);

function report(changes: readonly ShapeChange[], { notify }: Pick<RememberedShapesOptions, 'notify'>): void {
  for (const { dataType, changes: own } of changes) {
    notify({ level: 'info', code: 'shape-changed', message: `${dataType}: ${own.join('; ')}`, subject: dataType });
  }
}

const changeOf = (dataType: string, all: readonly string[]): ShapeChange => {
  const rest = all.length - mostChanges;
  return { dataType, changes: rest > 0 ? [...all.slice(0, mostChanges), `and ${rest} more`] : all };
};

/** Names, kinds, formats, and which members may be absent; nothing of the values. Below `depth` it may be anything. */
function compact(shape: ValueShape, depth: number, mask: (text: string) => string): ValueShape {
  const { types, items, format } = shape;
  if (depth === 0) return { ...anything, types, rest: anything, items: anything };
  const inner = (each: ValueShape) => compact(each, depth - 1, mask);
  const seen = seenOf(shape);
  return {
    types,
    ...membersOf(shape, mask, inner),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(format === undefined ? {} : { format }),
    ...(seen === undefined ? {} : { seen }),
  };
}

/** Of an object whose names are keys those that each object has and that are no keys. */
function membersOf(
  { types, properties, required, rest }: ValueShape,
  mask: (text: string) => string,
  inner: (shape: ValueShape) => ValueShape,
): Pick<ValueShape, 'properties' | 'required' | 'rest'> {
  const keys = [...properties.keys()].filter((name) => keyName.test(name));
  const hasKeys = properties.size - required.size > mostOptional || keys.length * 2 > properties.size;
  const members = [...properties].filter(([name]) => !hasKeys || (required.has(name) && !keyName.test(name)));
  const others = hasKeys ? anything : rest && types.has('object') ? inner(rest) : undefined;
  return {
    properties: new Map(members.map(([name, member]) => [mask(name), inner(member)])),
    required: new Set([...required].filter((name) => !hasKeys || !keyName.test(name)).map(mask)),
    ...(others === undefined ? {} : { rest: others }),
  };
}

/** How many objects there were, and that arrays without elements say nothing of elements. */
function seenOf({ types, items, seen }: ValueShape): Observed | undefined {
  const isEmpty = types.has('array') && items === undefined;
  const isObject = types.has('object') && [...types].every((type) => type === 'object' || type === 'null');
  const count = isObject && seen !== undefined ? seen.count - seen.nulls : 0;
  if (count === 0 && !isEmpty) return undefined;
  return { count, nulls: 0, missing: 0, ...(isEmpty ? { length: [0, 0] } : {}) };
}

/** Undefined: its members alone are too many. */
function shortText(shape: ValueShape): string | undefined {
  for (let depth = deepest; depth > 0; depth--) {
    const text = stringifyExact(shapeDocument(new Map([['', compact(shape, depth, (name) => name)]])));
    if (bytesOf(text) <= longestShape) return text;
  }
  return undefined;
}

/** The first data types whose shapes fit into the state together: those of earlier runs are before others. */
function thatFit(shapes: ReadonlyMap<string, KnownShape>): readonly (readonly [string, KnownShape])[] {
  let left = longestShapes;
  return [...shapes].filter(([dataType, known]) => {
    const size = bytesOf(dataType) + bytesOf(known.shape);
    if (size > left) return false;
    left -= size;
    return true;
  });
}

/** In the state, where it is a text of JSON. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

function shapeIn(known: KnownShape | undefined): ValueShape | undefined {
  const shape = known && readShapes(parseExact(known.shape), 'the remembered shape').get('');
  return shape && compact(shape, deepest, (name) => name);
}
