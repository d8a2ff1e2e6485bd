/**
 * Follows the value that grows from run to run over the pages of a walk: which items the run before had, and how far
 * the others reach.
 */
import { createHash } from 'node:crypto';
import { ExtractError } from '../core/errors/errors.js';
import { afterValue } from '../core/json/byte-steps.js';
import type { Exact } from '../core/json/exact.js';
import { isObject } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import { type Items, joinItems, sizeOf, startOf } from '../core/model/batch.js';
import { asBuffer } from '../core/util/as-buffer.js';
import { nearestPath } from '../core/util/suggest.js';
import { type Distance, lessBy, rankOf, rankOfMoment } from '../incremental/distance.js';
import { compareValues, type OrderedValue, orderedValue, type ValueOrder } from '../incremental/ordered-value.js';
import { digestLength, type Reached, type RecentItems, storedText } from '../incremental/reached.js';
import { placeOf } from './json-lines/place-of.js';

export interface FollowOptions {
  /** The path of the value in each item. */
  readonly segments: readonly string[];
  readonly text: string;
  readonly compare?: ValueOrder;
  readonly lookback?: Distance;
  readonly isAscending: boolean;
  /** The value that the run before has reached; absent: none. */
  readonly before?: OrderedValue;
  /** Digests of items that the run before had. */
  readonly known: ReadonlySet<string>;
  /** Items below are left out. */
  readonly since?: OrderedValue;
  /** Items from here on are left out. */
  readonly until?: OrderedValue;
  /** Items that are newer than this before the start of the run are left out. */
  readonly lag?: Distance;
  /** When the run first started, in epoch ms. */
  readonly startedAt: number;
  /** The highest value of the walk before a resume. */
  readonly highest?: OrderedValue;
}

/** What the items of a page say about the value. */
export interface PageFollowed {
  readonly reached: Reached;
  /** Items that were left out. */
  readonly left: number;
  /** An item of the walk has had a value, or there was none to have one. */
  readonly hasValue: boolean;
  /** The member that is nearest to a path that no item has. */
  readonly near?: string;
}

/** An item that stays, and its value. */
interface KeptItem {
  readonly value: OrderedValue;
  readonly bytes: Uint8Array;
  readonly digest: string | undefined;
}

/** An item that the next run may see again. */
interface RecentItem {
  readonly value: OrderedValue;
  readonly digest: string;
}

/** One walk; it has one page in progress. */
export class FollowedWalk {
  left = 0;
  leftBytes = 0;
  readonly #options: FollowOptions;
  #page = -1;
  #room = Infinity;
  #kept = 0;
  /** Of completed pages, and with the page in progress. */
  #before: OrderedValue | undefined;
  #highest: OrderedValue | undefined;
  #hadValue: boolean;
  #hasValue: boolean;
  /** What all values are: that of the first one, if nothing has said it before. */
  #orderBefore: ValueOrder | undefined;
  #order: ValueOrder | undefined;
  #near: string | undefined;
  #recent: RecentItem[] = [];
  #known = 0;
  #late = 0;
  #beyond = 0;
  #latest: OrderedValue | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#before = options.highest;
    this.#highest = options.highest;
    this.#hadValue = options.highest !== undefined;
    this.#hasValue = this.#hadValue;
    const { compare, highest, before, since } = options;
    this.#order = compare ?? highest?.order ?? before?.order ?? since?.order;
    this.#orderBefore = this.#order;
  }

  begin(page: number, room: number): void {
    if (page !== this.#page) {
      this.#before = this.#highest;
      this.#hadValue = this.#hasValue;
      this.#orderBefore = this.#order;
    }
    this.#page = page;
    this.#room = room;
    this.restart();
  }

  restart(): void {
    this.left = 0;
    this.leftBytes = 0;
    this.#kept = 0;
    this.#highest = this.#before;
    this.#hasValue = this.#hadValue;
    this.#order = this.#orderBefore;
    this.#recent = [];
    this.#known = 0;
    this.#late = 0;
    this.#beyond = 0;
    this.#latest = undefined;
  }

  /** The items that stay. */
  take(items: Items): Items {
    const kept: KeptItem[] = [];
    const staying: Uint8Array[] = [];
    let isWhole = true;
    for (let index = 0; index < items.count; index++) {
      const bytes = items.bytes.subarray(startOf(items, index), startOf(items, index + 1));
      const value = this.#valueOf(items, index);
      const digest = value === undefined ? undefined : this.#recognise(value, bytes);
      if (digest === false) {
        isWhole = false;
        this.left += 1;
        this.leftBytes += sizeOf(items, index);
        continue;
      }
      staying.push(bytes);
      this.#kept += 1;
      if (value !== undefined && this.#kept <= this.#room) kept.push({ value, bytes, digest });
    }
    this.#note(kept);
    return isWhole ? items : joinItems(staying);
  }

  followed(): PageFollowed {
    const { order, sent } = this.#highest ?? {};
    const { before, lookback } = this.#options;
    const highest = this.#highest;
    const reached = {
      recent: groupsOf(this.#recent),
      known: this.#known,
      late: this.#late,
      beyond: this.#beyond,
      ...(sent === undefined || order === undefined ? {} : { value: storedText(sent), order }),
      ...(highest === undefined
        ? {}
        : { from: storedText(lookback === undefined ? highest.sent : lessBy(highest, lookback)) }),
      ...(this.#latest === undefined || before === undefined ? {} : { latest: storedText(this.#latest.sent) }),
    };
    const near = this.#near;
    return { reached, left: this.left, hasValue: this.#hasValue, ...(near === undefined ? {} : { near }) };
  }

  /** The value of an item; undefined: it has none, or null. */
  #valueOf(items: Items, index: number): OrderedValue | undefined {
    const { segments, compare } = this.#options;
    const text = asBuffer(items.bytes);
    const at = placeOf(text, startOf(items, index), segments);
    if (at < 0) {
      this.#near ??= this.#hasValue
        ? undefined
        : nearestIn(text.toString('utf8', startOf(items, index), startOf(items, index + 1)), segments);
      return undefined;
    }
    this.#hasValue = true;
    const found = parseExact(text.toString('utf8', at, afterValue(text, at)));
    if (found === null) return undefined;
    const value = orderedValue(found, compare);
    this.#order ??= value?.order;
    if (value === undefined || value.order !== this.#order) throw this.#mixed(found);
    return value;
  }

  #mixed(found: Exact): ExtractError {
    const { text } = this.#options;
    const expected = this.#order;
    const what =
      typeof found === 'string'
        ? 'another text'
        : isObject(found) || Array.isArray(found)
          ? 'an object or a list'
          : 'another value';
    const why =
      expected === undefined
        ? 'expected a text or a number'
        : `expected a ${expected}, as set by \`compare\` or found before`;
    return new ExtractError('ERR_INCREMENTAL', `"${text}" of an item is ${what}: ${why}`);
  }

  /** False: the item is left out. A text: its digest, which was needed. */
  #recognise(value: OrderedValue, bytes: Uint8Array): string | false | undefined {
    const { before, known, since, until, lag } = this.#options;
    if (since !== undefined && compareValues(value, since) < 0) return this.#leave();
    if (until !== undefined && compareValues(value, until) >= 0) return this.#leave();
    if (lag !== undefined && value.rank > this.#newest(lag, value)) return this.#leave();
    if (before === undefined) return undefined;
    const order = compareValues(value, before);
    if (order > 0) return undefined;
    const digest = digestOf(bytes);
    if (known.has(digest)) {
      this.#known += 1;
      return false;
    }
    if (order < 0) {
      this.#late += 1;
      if (this.#latest === undefined || compareValues(value, this.#latest) < 0) this.#latest = value;
    }
    return digest;
  }

  #newest(lag: Distance, value: OrderedValue): bigint {
    const start = rankOfMoment(this.#options.startedAt, value);
    if (start !== undefined) return start - rankOf(lag, value);
    const { text } = this.#options;
    throw new ExtractError('ERR_INCREMENTAL', `\`lag\` needs dates or Unix times, and "${text}" has neither`);
  }

  #leave(): false {
    this.#beyond += 1;
    return false;
  }

  /** Notes the values of items that stay: the highest, and the items that the next run may see again. */
  #note(kept: readonly KeptItem[]): void {
    const { isAscending } = this.#options;
    const start = this.#highest;
    for (const { value } of kept) {
      const isHigher = this.#highest === undefined || compareValues(value, this.#highest) > 0;
      if (isHigher) this.#highest = value;
      else if (isAscending && this.#highest !== undefined && compareValues(value, this.#highest) < 0)
        throw this.#descending(value);
    }
    const highest = this.#highest;
    if (highest === undefined) return;
    const isRecent = this.#recently(highest);
    if (start !== highest) this.#recent = this.#recent.filter(({ value }) => isRecent(value));
    for (const { value, bytes, digest } of kept) {
      if (isRecent(value)) this.#recent.push({ value, digest: digest ?? digestOf(bytes) });
    }
  }

  #recently(highest: OrderedValue): (value: OrderedValue) => boolean {
    const { lookback } = this.#options;
    if (lookback === undefined) return (value) => compareValues(value, highest) >= 0;
    const least = highest.rank - rankOf(lookback, highest);
    return ({ rank }) => rank >= least;
  }

  #descending(value: OrderedValue): ExtractError {
    const { text } = this.#options;
    const message = `"${text}" goes backwards: an item has ${storedText(value.sent)} after ${storedText(this.#highest?.sent ?? '')}`;
    const advice = 'Make the API sort by it, or remove `"order": "asc"`';
    return new ExtractError('ERR_INCREMENTAL', `${message}. ${advice}`);
  }
}

const digestOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, digestLength);

function groupsOf(recent: readonly RecentItem[]): readonly RecentItems[] {
  const groups = new Map<string, string>();
  for (const { value, digest } of recent) {
    const text = storedText(value.sent);
    groups.set(text, `${groups.get(text) ?? ''}${digest}`);
  }
  return [...groups];
}

function nearestIn(item: string, segments: readonly string[]): string | undefined {
  const value = parseExact(item);
  return isObject(value) ? nearestPath(segments, { depth: 0, beside: [...value.keys()] }) : undefined;
}
