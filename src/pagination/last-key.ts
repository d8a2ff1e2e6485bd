/** Keeps the key of the last item as the memo of a walk: exact, plain data for the journal. */
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, ExactNumber, exactAt, isNumber, isObject, splitPath, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import { type Items, itemAt } from '../core/model/batch.js';
import { mostValueBytes } from '../core/util/limits.js';
import { nearestPath } from '../core/util/suggest.js';
import { kindOf } from '../language/expression/convert.js';

/** `run`: how many of the last items in a row have the key; counted if `repeated` is used. */
export interface LastKeys {
  fold(memo: Exact | undefined, items: Items): Exact;
  /**
   * Counts how many of the first items repeat the memo's key, up to its `run`; `already` of them were in earlier
   * batches.
   */
  repeated(memo: Exact, items: Items, already: number): number;
  /** Returns the key in the memo. Throws ERR_PAGINATION if the last item has none. */
  keyOf(memo: Exact | undefined): string | ExactNumber;
}

/** Reads keys at a path of each item. With `counts` it counts runs. */
export function createLastKeys(field: string, { counts }: { readonly counts: boolean }): LastKeys {
  const segments = splitPath(field);
  const textAt = (items: Items, index: number): string => stringifyExact(readKey(items, index, segments) ?? null);

  return {
    fold(memo, items) {
      const last = items.count - 1;
      if (last < 0) return memo ?? null;
      const key = keyIn(readKey(items, last, segments));
      if (isFault(key)) return new Map([['fault', `${key.fault}${nearby(items, last, segments)}`]]);
      if (!counts) return new Map([['key', key]]);
      const text = stringifyExact(key);
      let run = 1;
      while (run < items.count && textAt(items, last - run) === text) run++;
      const earlier = run === items.count && keyText(memo) === text ? runOf(memo) : 0;
      return new Map([
        ['key', key],
        ['run', new ExactNumber(String(run + earlier))],
      ]);
    },
    repeated(memo, items, already) {
      const text = keyText(memo);
      const most = Math.min(items.count, runOf(memo) - already);
      let count = 0;
      while (count < most && textAt(items, count) === text) count++;
      return count;
    },
    keyOf(memo) {
      const key = isObject(memo) ? memo.get('key') : undefined;
      if (typeof key === 'string' || isNumber(key)) return key;
      const fault = isObject(memo) ? memo.get('fault') : undefined;
      const message = `expected a string or a number at "${field}" of the last item, found ${fault ?? 'nothing'}`;
      throw new ExtractError('ERR_PAGINATION', message);
    },
  };
}

const readKey = (items: Items, index: number, segments: readonly string[]): Exact | undefined =>
  exactAt(parseExact(itemAt(items, index)), segments);

type KeyFault = { readonly fault: string };

/** The value as a key, or a description of what is none. */
function keyIn(value: Exact | undefined): string | ExactNumber | KeyFault {
  if (value === undefined) return { fault: 'nothing' };
  if (typeof value !== 'string' && !isNumber(value)) return { fault: kindOf(value) };
  return String(value).length > mostValueBytes ? { fault: `one of more than ${mostValueBytes} characters` } : value;
}

const isFault = (key: ReturnType<typeof keyIn>): key is KeyFault => typeof key !== 'string' && 'fault' in key;

/** Returns the nearest member name of the item, in case its path is misspelt. */
function nearby(items: Items, index: number, segments: readonly string[]): string {
  const item = parseExact(itemAt(items, index));
  const depth = segments.findIndex((_, at) => exactAt(item, segments.slice(0, at + 1)) === undefined);
  const within = depth < 0 ? undefined : exactAt(item, segments.slice(0, depth));
  const near = isObject(within) ? nearestPath(segments, { depth, beside: [...within.keys()] }) : undefined;
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

const keyText = (memo: Exact | undefined): string | undefined =>
  isObject(memo) ? stringifyExact(memo.get('key') ?? null) : undefined;

const runOf = (memo: Exact | undefined): number => {
  const run = isObject(memo) ? memo.get('run') : undefined;
  return isNumber(run) ? Number(run.text) : 0;
};
