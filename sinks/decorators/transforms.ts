/** Transforms by item: items that a function leaves unchanged keep their bytes, including all digits. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, stringifyExact } from '../../src/core/json/exact.js';
import { type Batch, createBatch, itemAt, joinItems } from '../../src/core/model/batch.js';
import { whole } from '../../src/core/options/kinds.js';
import { valueInCode } from '../../src/core/options/read-options.js';
import type { Transform } from './through.js';

export interface ItemOptions {
  /** How many items of a batch a function that returns promises may process at once; default 1. Order is kept. */
  readonly concurrency?: number;
}

type Work<In, Out> = (item: In, signal: AbortSignal) => Out | Promise<Out>;

/**
 * Replaces each item by the result of the function, as `JSON.stringify` writes it. An unchanged item keeps its bytes;
 * in a changed one, numbers beyond 2^53 lose digits: see `mapExact`. Throws ERR_SINK for a value without a JSON form.
 */
export function mapItems<In, Out>(change: Work<In, Out>, options?: ItemOptions): Transform<In, Out> {
  return async (batch, signal) => {
    const items = batch.values();
    const write = (made: Out, index: number): string | undefined => {
      const text = encode(made, batch, index);
      // The function may have changed the same object in place, so the original is parsed again.
      const isUntouched = Object.is(made, items[index]) && text === JSON.stringify(JSON.parse(itemAt(batch, index)));
      return isUntouched ? undefined : text;
    };
    const texts = await inOrder(items, (item) => change(item, signal), write, options);
    return rebuilt<Out>(batch, texts);
  };
}

/** As `mapItems`, with number text and member order preserved. An item returned as is keeps its bytes. */
export function mapExact(change: Work<Exact, Exact>, options?: ItemOptions): Transform {
  return async (batch, signal) => {
    const items = batch.exact();
    const write = (made: Exact, index: number) => (made === items[index] ? undefined : stringifyExact(made));
    return rebuilt(batch, await inOrder(items, (item) => change(item, signal), write, options));
  };
}

/** Keeps the items for which the function returns true, byte for byte. */
export function filterItems<In, Out extends In>(
  keep: (item: In, signal: AbortSignal) => item is Out,
): Transform<In, Out>;
export function filterItems<In>(keep: Work<In, boolean>, options?: ItemOptions): Transform<In>;
export function filterItems<In>(keep: Work<In, boolean>, options?: ItemOptions): Transform<In> {
  return async (batch, signal) => {
    const write = (isKept: boolean) => (isKept ? undefined : '');
    return rebuilt(batch, await inOrder(batch.values(), (item) => keep(item, signal), write, options));
  };
}

/** Calls the function with each item and waits for it; passes batches unchanged. */
export function tapItems<In>(look: Work<In, unknown>, options?: ItemOptions): Transform<In> {
  return async (batch, signal) => {
    await inOrder(batch.values(), (item) => look(item, signal), nothing, options);
    return batch;
  };
}

/** Calls the function with each batch and waits for it; passes batches unchanged. */
export function tapBatches<In>(look: (batch: Batch<In>, signal: AbortSignal) => unknown): Transform<In> {
  return async (batch, signal) => {
    await look(batch, signal);
    return batch;
  };
}

const nothing = () => undefined;

const count = whole(1);

/**
 * Processes a bounded number of items at once; returns the results in the order of the items. The first failure stops
 * the rest.
 */
async function inOrder<In, Made, Out>(
  items: readonly In[],
  work: (item: In) => Made | Promise<Made>,
  finish: (made: Made, index: number) => Out,
  { concurrency = 1 }: ItemOptions = {},
): Promise<readonly Out[]> {
  valueInCode('concurrency', count, concurrency);
  const results = new Array<Out>(items.length);
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) {
      const made = work(item);
      results[index] = finish(isPromise(made) ? await made : made, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane));
  return results;
}

/** Whether `await` would wait for the value; awaiting plain values would cost a turn per item. */
function isPromise<T>(made: T | Promise<T>): made is Promise<T> {
  return typeof made === 'object' && made !== null && 'then' in made && typeof made.then === 'function';
}

function encode(value: unknown, { dataType }: Batch, index: number): string {
  const text = asJson(value);
  if (text !== undefined) return text;
  const what = `item ${index + 1} of a batch of "${dataType}"`;
  throw new ExtractError(
    'ERR_SINK',
    `${what}: the function returned a ${typeof value}, which cannot be written as JSON`,
  );
}

/** `undefined` if there is no JSON form; also for a bigint, or a value that contains one. */
function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new ExtractError('ERR_SINK', `an item cannot be written as JSON: ${String(cause)}`, { cause });
  }
}

/** Rebuilds a batch: `undefined` keeps an item's bytes, an empty text drops it, another one replaces it. */
function rebuilt<Out>(batch: Batch, texts: readonly (string | undefined)[]): Batch<Out> {
  const { bytes, offsets, offset } = batch;
  const pieces = texts.map((text, index) =>
    text === undefined
      ? bytes.subarray(offsets[index], offsets[index + 1])
      : Buffer.from(text === '' ? '' : `${text}\n`),
  );
  return createBatch<Out>(batch, joinItems(pieces.filter(({ length }) => length > 0)), offset);
}
