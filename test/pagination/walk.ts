/** Walks a scroller by hand: pages in, requests out. */
import { ExtractError } from '../../src/core/errors/errors.js';
import {
  type Exact,
  ExactNumber,
  type ExactObject,
  exactAt,
  fromPlain,
  isArray,
  isObject,
  stringifyExact,
} from '../../src/core/json/exact.js';
import type { Items } from '../../src/core/model/batch.js';
import type { Job } from '../../src/core/model/job.js';
import type { Page } from '../../src/core/model/page.js';
import type { PageRequest } from '../../src/core/model/request.js';
import type { OptionRows } from '../../src/core/options/kind.js';
import type { Component } from '../../src/language/component.js';
import { isStop, type Paginator, type Stop } from '../../src/pagination/types.js';
import { optionsOf } from '../support/options.js';

export const number = (text: string): ExactNumber => new ExactNumber(text);

export function objectOf(value: object): ExactObject {
  const exact = fromPlain(value);
  if (!isObject(exact)) throw new TypeError('expected an object');
  return exact;
}

/** A method or a condition, of options as a configuration writes them. */
export const made = <Rows extends OptionRows, Result>(
  { fields, create }: Component<Rows, Result, undefined>,
  written: object = {},
): Result => create(optionsOf(fields, written), undefined);

export function job(params: object = {}, other: Partial<Job> = {}): Job {
  return {
    name: 'users',
    endpoint: 'users',
    params: objectOf(params),
    headers: new Map([['X-Job', ['1']]]),
    dataField: { kind: 'auto' },
    dataType: 'users',
    ...other,
  };
}

const nothingWalked = {
  startedAt: 0,
  items: 0,
  volume: 0,
  address: 'https://api.example/v1/users',
  headers: new Map<string, readonly string[]>(),
  takenAt: 0,
};

/** A page of `count` items whose response is `response`, captured where the scroller asks. */
export function page(
  scroller: Paginator,
  request: PageRequest,
  index: number,
  count: number,
  response: Exact = null,
  more: Partial<Page> = {},
): Page {
  const envelope = scroller.captures.map(({ text, segments, shallow }) => {
    const broken = segments.findIndex((_, depth) => exactAt(response, segments.slice(0, depth + 1)) === undefined);
    const inside = broken < 0 ? undefined : exactAt(response, segments.slice(0, broken));
    const found = exactAt(response, segments);
    const value = shallow === true ? kindOnly(found) : found;
    return [text, { value, depth: broken, beside: isObject(inside) ? [...inside.keys()] : [] }] as const;
  });
  return { ...nothingWalked, request, index, count, received: count, envelope: new Map(envelope), ...more };
}

function kindOnly(value: Exact | undefined): Exact | undefined {
  if (isArray(value)) return [];
  return isObject(value) ? new Map() : value;
}

/** Items as a sink would get them. */
export function itemsOf(values: readonly (Exact | object)[]): Items {
  const lines = values.map((value) => `${stringifyExact(fromPlain(value))}\n`);
  const starts = lines.map((_, index) => Buffer.byteLength(lines.slice(0, index).join('')));
  const bytes = Buffer.from(lines.join(''));
  return { bytes, offsets: Uint32Array.from([...starts, bytes.length]), count: values.length };
}

/** What a page of a walk has: a number of items, or items that the scroller looks at. */
export interface Given {
  readonly count?: number;
  readonly items?: readonly (Exact | object)[];
  readonly response?: Exact;
  readonly more?: Partial<Page>;
}

export interface Walked {
  readonly requests: readonly PageRequest[];
  readonly stop: Stop | undefined;
}

/** Takes pages until the scroller stops or they run out. */
export function walk(scroller: Paginator, of: Job, pages: readonly Given[]): Walked {
  const requests = [scroller.first(of)];
  let sum = 0;
  let memo: Exact | undefined;
  for (const [index, { items, count = items?.length ?? 0, response, more }] of pages.entries()) {
    sum += count;
    if (items !== undefined) memo = scroller.fold?.(memo, itemsOf(items));
    const known = { items: sum, ...(memo === undefined ? {} : { memo }), ...more };
    const request = requests[index] ?? scroller.first(of);
    const step = scroller.next(of, page(scroller, request, index, count, response, known));
    if (isStop(step)) return { requests, stop: step };
    requests.push(step);
  }
  return { requests, stop: undefined };
}

/** `GET users {"page":1} variables.after="x"`. */
export function show({ method, endpoint, params, placed = [] }: PageRequest): string {
  const paths = placed.map(({ path, value }) => ` ${path.join('.')}=${stringifyExact(value)}`);
  return `${method === undefined ? '' : `${method} `}${endpoint} ${stringifyExact(params)}${paths.join('')}`;
}

/** What it throws, which must be an error of ours. */
export function thrownBy(work: () => unknown): ExtractError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ExtractError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
