/** What children read of the items of a page: kept while the page streams by, in memory or in a temporary file. */
import { filterRow, type ResponseFilter } from '../config/children/response-filter.js';
import { createRow, type Row } from '../config/children/row.js';
import type { Exact } from '../core/json/exact.js';
import { isArray } from '../core/json/exact.js';
import { parseExact, parseLines, stringifyLines } from '../core/json/exact-parse.js';
import type { Items } from '../core/model/batch.js';
import { createSpillBuffer, type SpillBuffer } from './buffer/spill-buffer.js';
import { memoryBytes } from './buffer/temp-file.js';

export interface RowsOptions {
  /** The paths that are read; nothing else is kept. */
  readonly paths: readonly string[];
  /** Of the job whose rows these are. */
  readonly responseFilter: ResponseFilter;
  /** Bytes that may wait in memory; absent: 8 MiB. */
  readonly memoryBytes?: number;
  /** Makes a copy that a later run finds; absent: there is none. */
  readonly createCopy?: (() => RowsCopy) | undefined;
}

/** Rows that a later run reads again, instead of asking for their page. */
export interface RowsCopy {
  add(rows: readonly Exact[]): Promise<void>;
  /** From now on the copy stays. Undefined: there are no rows, or some hold a secret that must not be written. */
  kept(): StoredRows | undefined;
  /** Closes the copy, and removes it unless it was kept. */
  clear(): Promise<void>;
}

/** The rows of a page that was taken. */
export interface Rows {
  readonly count: number;
  /**
   * The rows in order, as often as asked for, even at the same time. Once cleared, what a file would have held is not
   * given any more.
   */
  all(): AsyncGenerator<Row>;
  /** Forgets all rows, and removes the file where no state refers to it. */
  clear(): Promise<void>;
  /** The copy, for a state: from now on it stays. Undefined: there is none. */
  kept?(): StoredRows | undefined;
}

/** Rows of a page under way. */
export interface RowBuffer extends Rows {
  /** Keeps the rows of these items. Throws ERR_FILTER where a row does not fit. */
  add(items: Items): Promise<void>;
}

/** Starts empty. `clear` must be called in the end, or a temporary file may stay. */
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
    for await (const { bytes } of this.#spill.all()) yield* rowsIn(bytes, this.#options.paths);
  }

  async clear(): Promise<void> {
    await this.#copy?.clear();
    this.count = 0;
    await this.#spill.clear();
  }
}

/** The rows of an earlier run. Reading throws where the copy is not what it was. */
export function storedRows({ count }: StoredRows, copy: () => AsyncIterable<Exact>, paths: readonly string[]): Rows {
  return {
    count,
    async *all() {
      for await (const row of copy()) yield keptRow(row, paths);
    },
    clear: async () => {},
  };
}

/** For each row a list with an entry for each path. */
function entriesFor(slab: Items, paths: readonly string[], filter: ResponseFilter): readonly Exact[] {
  const bytes = Buffer.from(slab.bytes.buffer, slab.bytes.byteOffset, slab.bytes.length);
  return Array.from({ length: slab.count }, (_, index) => {
    const item = bytes.toString('utf8', slab.offsets[index], slab.offsets[index + 1]);
    const row = createRow(filterRow(parseExact(item), filter));
    return paths.map((path) => entryOf(row, path));
  });
}

/** What is there lies in a list of its own; what is not there is the text of the nearest path, or null. */
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

/** Rows that children are walked for: lines in a part. */
export interface StoredRows {
  readonly part: string;
  readonly count: number;
  /** Of its pieces, in bytes: none of them ends within a line. */
  readonly lengths: readonly number[];
  readonly crc: number;
}
