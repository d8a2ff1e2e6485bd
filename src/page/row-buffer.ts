/** Buffers the fields that children read from the items of a page, in memory or in a temporary file. */
import { filterRow, type ResponseFilter } from '../config/children/response-filter.js';
import { createRow, type Row } from '../config/children/row.js';
import type { Exact } from '../core/json/exact.js';
import { isArray } from '../core/json/exact.js';
import { parseExact, parseLines, stringifyLines } from '../core/json/exact-parse.js';
import { type Items, itemAt } from '../core/model/batch.js';
import { createSpillBuffer, type SpillBuffer } from './buffer/spill-buffer.js';
import { memoryBytes } from './buffer/temp-file.js';

export interface RowsOptions {
  /** The paths to read; only these are stored. */
  readonly paths: readonly string[];
  /** The filter of the job that produces the rows. */
  readonly responseFilter: ResponseFilter;
  /** The memory limit in bytes; absent: 8 MiB. */
  readonly memoryBytes?: number;
  /** Creates a copy that a later run can read; absent: no copy. */
  readonly createCopy?: (() => RowsCopy) | undefined;
}

/** Stores rows for a later run, which reads them instead of requesting their page again. */
export interface RowsCopy {
  add(rows: readonly Exact[]): Promise<void>;
  /** Makes the copy permanent. Undefined: there are no rows, or some contain a secret that must not be stored. */
  kept(): StoredRows | undefined;
  /** Closes the copy, and removes it unless it is permanent. */
  clear(): Promise<void>;
}

/** The rows of a delivered page. */
export interface Rows {
  readonly count: number;
  /** Yields the rows in order; repeated and concurrent calls are allowed. After `clear`, rows in the file are gone. */
  all(): AsyncGenerator<Row>;
  /** Drops all rows, and removes the file if no state refers to it. */
  clear(): Promise<void>;
  /** Makes the copy permanent, for a state. Undefined: there is none. */
  kept?(): StoredRows | undefined;
}

/** The rows of an active page. */
export interface RowBuffer extends Rows {
  /** Stores the rows of these items. Throws ERR_FILTER if a row does not fit the filter. */
  add(items: Items): Promise<void>;
}

/** Creates an empty buffer. The caller must call `clear`, or a temporary file may stay. */
export const createRows = (options: RowsOptions): RowBuffer => new PageRows(options);

class PageRows implements RowBuffer {
  count = 0;
  readonly kept?: () => StoredRows | undefined;
  readonly #options: RowsOptions;
  readonly #spill: SpillBuffer<void>;
  readonly #copy: RowsCopy | undefined;

  constructor(options: RowsOptions) {
    const { memoryBytes: limit = memoryBytes, createCopy } = options;
    this.#options = options;
    this.#spill = createSpillBuffer<void>((size) => size <= limit);
    this.#copy = createCopy?.();
    if (this.#copy !== undefined) this.kept = this.#copy.kept;
  }

  async add(items: Items): Promise<void> {
    const { paths, responseFilter } = this.#options;
    const entries = entriesFor(items, paths, responseFilter);
    await this.#copy?.add(entries);
    this.count += items.count;
    await this.#spill.add(Buffer.from(stringifyLines(entries)));
  }

  async *all(): AsyncGenerator<Row> {
    for await (const { bytes } of this.#spill.all()) {
      for (const row of rowsIn(bytes, this.#options.paths)) yield row; // `yield*` waits more often
    }
  }

  async clear(): Promise<void> {
    await this.#copy?.clear();
    this.count = 0;
    await this.#spill.clear();
  }
}

/** The rows of an earlier run. Reading throws if the copy has changed. */
export function storedRows({ count }: StoredRows, copy: () => AsyncIterable<Exact>, paths: readonly string[]): Rows {
  return {
    count,
    async *all() {
      for await (const row of copy()) yield keptRow(row, paths);
    },
    clear: async () => {},
  };
}

/** The values of a row at these paths, and a row that has nothing else. */
export const entriesOf = (row: Row, paths: readonly string[]): Exact => paths.map((path) => entryOf(row, path));
export const rowOf = (entries: Exact, paths: readonly string[]): Row => keptRow(entries, paths);

/** Returns for each row a list with one entry per path. */
function entriesFor(slab: Items, paths: readonly string[], filter: ResponseFilter): readonly Exact[] {
  return Array.from({ length: slab.count }, (_, index) => {
    const row = createRow(filterRow(parseExact(itemAt(slab, index)), filter));
    return paths.map((path) => entryOf(row, path));
  });
}

/** Wraps an existing value in a list; a missing value becomes the text of the nearest path, or null. */
function entryOf(row: Row, path: string): Exact {
  const value = row.at(path);
  return value === undefined ? (row.nearest(path) ?? null) : [value];
}

function* rowsIn(lines: Uint8Array, paths: readonly string[]): Iterable<Row> {
  for (const row of parseLines(lines)) yield keptRow(row, paths);
}

function keptRow(kept: Exact, paths: readonly string[]): Row {
  const entryAt = (path: string): Exact => (isArray(kept) ? (kept[paths.indexOf(path)] ?? null) : null);
  return {
    at(path) {
      const entry = entryAt(path);
      return isArray(entry) ? entry[0] : undefined;
    },
    nearest(path) {
      const entry = entryAt(path);
      return typeof entry === 'string' ? entry : undefined;
    },
  };
}

/** Stored parent rows: the lines of a part. */
export interface StoredRows {
  readonly part: string;
  readonly count: number;
  /** The sizes of its pieces in bytes: each piece ends at a line end. */
  readonly lengths: readonly number[];
  readonly crc: number;
}
