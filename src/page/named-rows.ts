/**
 * The scan of a page whose items are arrays, and whose columns are named by a list beside them: each array becomes an
 * object. docs/14-any-response.md#named-columns.
 */
import { createBytes, type GrowingBytes } from '../../sinks/growing-bytes.js';
import { ExtractError } from '../core/errors/errors.js';
import { afterComma, afterValue, CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST } from '../core/json/byte-steps.js';
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import { type Items, startOf } from '../core/model/batch.js';
import { asBuffer } from '../core/util/as-buffer.js';
import type { WalkMemory } from './formats/body-format.js';
import type { LocatedItems } from './scanner/items-locator.js';
import type { Scan, ScanEvent, Slab } from './scanner/scan.js';
import type { CapturedText } from './scanner/slots.js';

export interface NamedRowsOptions {
  /** The path of the list of names, for messages. */
  readonly path: string;
  /** Its index among the captures of the scan. */
  readonly index: number;
  readonly memory: WalkMemory;
  /** Rows that come before their names wait in memory, so many bytes. */
  readonly mostWaiting: number;
}

/** What comes before each value of a row. */
type Columns = readonly Buffer[];

const NEWLINE = 0x0a;
const none = Buffer.from('{');

/** Throws ERR_COLUMNS for rows without names, and for what does not fit them. */
export class NamedRows implements Scan {
  readonly #scan: Scan;
  readonly #options: NamedRowsOptions;
  #columns: Columns | undefined;
  /** The list as it was read. */
  #json = '';
  #waiting: Items[] = [];
  #waitingBytes = 0;
  #rows = 0;
  /** Of all rows, as objects. */
  #bytes = 0;

  constructor(scan: Scan, options: NamedRowsOptions) {
    this.#scan = scan;
    this.#options = options;
  }

  *feed(chunk: Uint8Array): Iterable<ScanEvent> {
    for (const event of this.#scan.feed(chunk)) yield* this.#named(event);
  }

  *end(): Iterable<ScanEvent> {
    for (const event of this.#scan.end()) yield* this.#named(event);
    if (this.#waiting.length > 0) {
      if (!this.#hasColumns()) throw fault(`no list of names at "${this.#options.path}" (\`response.columns\`)`);
      yield* this.#released();
    }
    if (this.#columns !== undefined && this.#listed() !== this.#json) {
      throw fault(`two lists of names at "${this.#options.path}"`);
    }
  }

  *#named(event: ScanEvent): Iterable<ScanEvent> {
    if ('restart' in event) {
      this.#waiting = [];
      this.#waitingBytes = this.#rows = this.#bytes = 0;
      yield event;
    } else if (this.#hasColumns()) {
      yield* this.#released();
      yield { slab: this.#objects(event.slab) };
    } else this.#wait(event.slab);
  }

  #wait(slab: Slab): void {
    const { path, mostWaiting } = this.#options;
    this.#waiting.push(slab);
    this.#waitingBytes += slab.bytes.length;
    if (this.#waitingBytes <= mostWaiting) return;
    throw fault(`more than ${mostWaiting} bytes of rows before the names at "${path}": they wait in memory`);
  }

  *#released(): Iterable<ScanEvent> {
    for (const items of this.#waiting.splice(0)) yield { slab: this.#objects(items) };
  }

  /** Reads the names once they are there. */
  #hasColumns(): boolean {
    if (this.#columns !== undefined) return true;
    const { path, memory } = this.#options;
    const json = this.#listed();
    if (json === undefined) return false;
    const names = namesIn(parseExact(json), path);
    compare(names, memory.columns, path);
    memory.columns = names;
    this.#json = json;
    this.#columns = names.map((name, at) => Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    return true;
  }

  /** The list of names as it is written. */
  #listed(): string | undefined {
    const { json } = this.#scan.captured(this.#options.index);
    return json && asBuffer(json).toString();
  }

  #objects(items: Items): Slab {
    const source = asBuffer(items.bytes);
    const columns = this.#columns ?? [];
    const width = columns.reduce((sum, { length }) => sum + length, 2);
    const out = createBytes(source.length + items.count * width);
    const offsets = new Uint32Array(items.count + 1);
    for (let row = 0; row < items.count; row++) {
      const count = writeObject(source, startOf(items, row), columns, out);
      if (count !== columns.length) throw this.#misfit(this.#rows + row, count);
      offsets[row + 1] = out.length;
    }
    this.#rows += items.count;
    this.#bytes += out.length;
    return { bytes: out.take(), offsets, count: items.count };
  }

  #misfit(row: number, count: number): ExtractError {
    const has = count < 0 ? 'is not a list' : `has ${count} value${count === 1 ? '' : 's'}`;
    const names = `${this.#columns?.length} names`;
    return fault(`item ${row} of the page (from 0) ${has}, and "${this.#options.path}" has ${names}`);
  }

  get count(): number {
    return this.#scan.count;
  }

  get itemBytes(): number {
    return this.#bytes;
  }

  get found(): LocatedItems {
    return this.#scan.found;
  }

  get chain(): readonly bigint[] {
    return this.#scan.chain;
  }

  get itemsDigest(): bigint | undefined {
    return this.#scan.itemsDigest;
  }

  captured(index: number): CapturedText {
    return this.#scan.captured(index);
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.#scan.pathMiss();
  }

  dispose(): void {
    this.#scan.dispose();
  }
}

/** Writes a row as an object. Returns how many values it has; -1: it is no list. */
function writeObject(source: Buffer, from: number, columns: Columns, out: GrowingBytes): number {
  if (source[from] !== OPEN_LIST) return -1;
  let count = 0;
  for (let at = from + 1; source[at] !== CLOSE_LIST; count++) {
    const end = afterValue(source, at);
    const before = columns[count] ?? none;
    out.copy(before, 0, before.length);
    out.copy(source, at, end);
    at = afterComma(source, end);
  }
  if (count === 0) out.copy(none, 0, none.length);
  out.byte(CLOSE_OBJECT);
  out.byte(NEWLINE);
  return count;
}

/** Names are texts, or objects that have one: `{"name": "id", "type": "int"}`. */
function namesIn(value: Exact, path: string): readonly string[] {
  if (!isArray(value)) throw fault(`no list of names at "${path}" (\`response.columns\`)`);
  const names = value.map((each, at) => {
    const name = isObject(each) ? each.get('name') : each;
    if (typeof name === 'string') return name;
    throw fault(`no name at "${path}", place ${at} (from 0): expected a string, or an object with "name"`);
  });
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) throw fault(`the name ${JSON.stringify(names[twice])} twice at "${path}"`);
  return names;
}

/** Another order is none that matters: each page is read by its own names. */
function compare(names: readonly string[], before: readonly string[] | undefined, path: string): void {
  if (before === undefined) return;
  const gone = before.filter((name) => !names.includes(name));
  const added = names.filter((name) => !before.includes(name));
  if (gone.length + added.length === 0) return;
  const parts = [
    ...(gone.length === 0 ? [] : [`without ${shown(gone)}`]),
    ...(added.length === 0 ? [] : [`with the new ${shown(added)}`]),
  ];
  throw fault(`the names at "${path}" differ from those of the page before it: ${parts.join(', ')}`);
}

const mostShown = 3;

const shown = (names: readonly string[]): string =>
  names
    .slice(0, mostShown)
    .map((name) => JSON.stringify(name))
    .join(', ') + (names.length > mostShown ? ` and ${names.length - mostShown} more` : '');

const fault = (has: string): ExtractError => new ExtractError('ERR_COLUMNS', `response.columns: ${has}`);
