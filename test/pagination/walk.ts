/** Walks a scroller by hand: pages in, requests out. */
import {
  type Exact,
  ExactNumber,
  type ExactObject,
  exactAt,
  fromPlain,
  isObject,
  stringifyExact,
} from '../../src/exact.js';
import { isStop, type Job, type Page, type PageRequest, type Scroller, type Stop } from '../../src/types.js';

export const number = (text: string): ExactNumber => new ExactNumber(text);

export function objectOf(value: object): ExactObject {
  const exact = fromPlain(value);
  if (!isObject(exact)) throw new TypeError('expected an object');
  return exact;
}

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

/** A page of `count` items whose response is `response`, captured where the scroller asks. */
export function page(
  scroller: Scroller,
  request: PageRequest,
  index: number,
  count: number,
  response: Exact = null,
): Page {
  const envelope = scroller.captures.map(({ text, segments }) => {
    const broken = segments.findIndex((_, depth) => exactAt(response, segments.slice(0, depth + 1)) === undefined);
    const inside = broken < 0 ? undefined : exactAt(response, segments.slice(0, broken));
    return [text, { value: exactAt(response, segments), beside: isObject(inside) ? [...inside.keys()] : [] }] as const;
  });
  return { request, index, count, envelope: new Map(envelope) };
}

export interface Walked {
  readonly requests: readonly PageRequest[];
  readonly stop: Stop | undefined;
}

/** Takes pages until the scroller stops or they run out. */
export function walk(
  scroller: Scroller,
  of: Job,
  pages: readonly { readonly count: number; readonly response?: Exact }[],
): Walked {
  const requests = [scroller.first(of)];
  for (const [index, { count, response }] of pages.entries()) {
    const step = scroller.next(of, page(scroller, requests[index] ?? scroller.first(of), index, count, response));
    if (isStop(step)) return { requests, stop: step };
    requests.push(step);
  }
  return { requests, stop: undefined };
}

/** `GET users {"page":1}`. */
export function show({ method, endpoint, params }: PageRequest): string {
  return `${method === undefined ? '' : `${method} `}${endpoint} ${stringifyExact(params)}`;
}
