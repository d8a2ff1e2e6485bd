/**
 * Drift between runs: a sample of the items of each data type is compared with what earlier runs had.
 * docs/15-tables.md#drift-between-runs.
 */
import { borrowing, isBorrowing } from '../../sinks/borrowing.js';
import type { Sink } from '../../sinks/contract.js';
import { delegate, symbolsOf } from '../../sinks/delegate.js';
import { differencesOf } from '../../sinks/shape/differences.js';
import { createObserver, type Observer } from '../../sinks/shape/observe.js';
import { readShapes, shapeDocument } from '../../sinks/shape/shape-document.js';
import { anything, joined, type ValueShape } from '../../sinks/shape/value-shape.js';
import { stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import { type Batch, startOf } from '../core/model/batch.js';
import type { Notify } from '../core/model/notice.js';
import type { KnownShape, RunMemory } from '../incremental/run-memory.js';
import type { ShapeChange } from './job-stats.js';

export interface RememberedShapes {
  /** The sink; the first items that it gets of each data type are observed. */
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
}

/** So much of each data type is observed. */
const mostItems = 100;
const mostBytes = 1024 * 1024;
/** The longest text of a shape. A longer one is kept without its innermost values. */
const longestShape = 16 * 1024;
const deepest = 8;
/** So many differences of a data type are named. */
const mostChanges = 20;

interface Sample {
  readonly observer: Observer;
  items: number;
  bytes: number;
}

export function createRememberedShapes(options: RememberedShapesOptions): RememberedShapes {
  const { remembered, mark, notify, mask } = options;
  const samples = new Map<string, Sample>();
  const known = new Map(Object.entries(remembered.shapes ?? {}).filter(([, shape]) => shape.mark === mark));
  let changes: readonly ShapeChange[] = [];

  return {
    before(sink) {
      const write: Sink['write'] = (batch, signal) => {
        observe(batch, samples);
        return sink.write(batch, signal);
      };
      const changed = { write: isBorrowing(sink.write) ? borrowing(write) : write };
      return Object.assign(delegate(sink, changed), symbolsOf(sink));
    },
    remember({ shapes: _, ...memory }) {
      const next = new Map(known);
      const found: ShapeChange[] = [];
      for (const [dataType, { observer }] of samples) {
        const shape = compact(observer.shape() ?? anything, deepest, mask);
        const before = shapeIn(known.get(dataType));
        const own = before === undefined ? [] : differencesOf(before, shape).map(({ message }) => message);
        if (own.length > 0) found.push(changeOf(dataType, own));
        const text = shortText(before === undefined ? shape : joined(before, shape));
        if (text === undefined) next.delete(dataType);
        else next.set(dataType, { mark, shape: text });
      }
      changes = found;
      for (const { dataType, changes: own } of found) {
        notify({ level: 'info', code: 'shape-changed', message: `${dataType}: ${own.join('; ')}`, subject: dataType });
      }
      return next.size === 0 ? memory : { ...memory, shapes: Object.fromEntries(next) };
    },
    changes: () => changes,
  };
}

function observe(batch: Batch, samples: Map<string, Sample>): void {
  const sample = samples.get(batch.dataType) ?? { observer: createObserver(), items: 0, bytes: 0 };
  if (sample.items >= mostItems || sample.bytes >= mostBytes) return;
  samples.set(batch.dataType, sample);
  for (let index = 0; index < batch.count; index++) {
    const size = startOf(batch, index + 1) - startOf(batch, index);
    if (sample.items >= mostItems || sample.bytes + size > mostBytes) {
      sample.bytes = mostBytes;
      return;
    }
    sample.observer.add(batch, index, index + 1);
    sample.items += 1;
    sample.bytes += size;
  }
}

const changeOf = (dataType: string, all: readonly string[]): ShapeChange => {
  const rest = all.length - mostChanges;
  return { dataType, changes: rest > 0 ? [...all.slice(0, mostChanges), `and ${rest} more`] : all };
};

/** Names, kinds, formats, and which members may be absent; nothing of the values. Below `depth` it may be anything. */
function compact(shape: ValueShape, depth: number, mask: (text: string) => string): ValueShape {
  const { types, properties, required, rest, items, format } = shape;
  if (depth === 0) return { ...anything, types, rest: anything, items: anything };
  const inner = (each: ValueShape) => compact(each, depth - 1, mask);
  return {
    types,
    properties: new Map([...properties].map(([name, member]) => [mask(name), inner(member)])),
    required: new Set([...required].map(mask)),
    ...(rest === undefined ? {} : { rest: inner(rest) }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(format === undefined ? {} : { format }),
    ...(types.has('array') && items === undefined ? { seen: emptyLists } : {}),
  };
}

/** Lists without elements say nothing of elements. */
const emptyLists = { count: 0, nulls: 0, missing: 0, length: [0, 0] } as const;

/** Undefined: its members alone are too many. */
function shortText(shape: ValueShape): string | undefined {
  for (let depth = deepest; depth > 0; depth--) {
    const text = stringifyExact(shapeDocument(new Map([['', compact(shape, depth, (name) => name)]])));
    if (Buffer.byteLength(text) <= longestShape) return text;
  }
  return undefined;
}

const shapeIn = (known: KnownShape | undefined): ValueShape | undefined =>
  known && readShapes(parseExact(known.shape), 'the remembered shape').get('');
