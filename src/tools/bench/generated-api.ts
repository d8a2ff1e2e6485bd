/**
 * The API that benches pull: deterministic pages from memory, so that the server is not what is measured. Plans the
 * response to a request; server-process.ts sends it.
 */
import type { ApiShape } from './shape.js';

/** A response as it is to be sent. */
export interface PlannedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body begins with this; then `block` is repeated, separated by commas, up to so many bytes. */
  readonly endless?: { readonly block: Buffer; readonly bytes: number; readonly end: string };
  /** Ms until the first byte. */
  readonly delay: number;
  /** Ms from the first byte of the body to the last. */
  readonly bodyTime: number;
  /** The connection breaks after so many bytes of the body. */
  readonly cutAt?: number;
}

export interface ApiCounts {
  readonly requests: number;
  /** Requests for pages after the last one. */
  readonly pastEnd: number;
  readonly failed: number;
}

export interface GeneratedApi {
  /** `target` is the path with its query. */
  answer(target: string): PlannedResponse;
  counts(): ApiCounts;
}

const text = (index: number) => `Sentence ${index} of a text that an API would return. `;

/** An item of each shape, by its number; a `customer` has 340 bytes. */
export const itemMakers: Readonly<Record<ApiShape['item'], (index: number) => unknown>> = {
  customer: (index) => ({
    id: 1_000_000 + index,
    name: `Customer ${index} Ünïcode`,
    email: `user${index}@example.com`,
    active: index % 2 === 0,
    score: index * 1.37,
    created_at: '2026-11-20T11:22:33.456Z',
    tags: ['alpha', 'beta', 'gamma'],
    address: {
      street: `${index} Main St.`,
      city: 'Prague',
      zip: '11000',
      geo: { lat: 50.0755 + index / 1e6, lng: 14.4378 },
    },
    note: 'He said "hello" and left\nthen came back',
  }),
  tiny: (index) => ({ id: 1_000_000 + index }),
  text: (index) => ({ id: 1_000_000 + index, text: Array.from({ length: 40 }, (_, at) => text(at)).join('') }),
  numbers: (index) => ({ id: 1_000_000 + index, values: Array.from({ length: 50 }, (_, at) => (index + at) * 0.137) }),
};

/** Number of different bodies; pages with the same one differ by their number. */
const bodies = 8;
/** Place for the number of a page. */
const numberMark = '#######';
/** Place for the next cursor, with its quotes or as `null`. */
const nextMark = '"@@@@@@@"';

/**
 * Creates the API. A response depends only on the shape, the page, and how often the page has failed in a row: a run
 * after another, or one that requests in another order, gets the same failures.
 */
export function createGeneratedApi(shape: ApiShape): GeneratedApi {
  const ready = Array.from({ length: Math.min(bodies, shape.pages) }, (_, index) => template(shape, index));
  const failures = new Map<number, number>();
  let [requests, pastEnd, failed] = [0, 0, 0];

  const pageAt = (page: number): PlannedResponse => {
    const attempt = (failures.get(page) ?? 0) + 1;
    const chance = (salt: number) => random(shape.seed, page, attempt, salt);
    const fail = () => {
      failures.set(page, attempt);
      failed += 1;
    };
    const delay = shape.latency + chance(0) * shape.jitter;
    if (page > shape.pages) {
      pastEnd += 1;
      return { ...json('{"meta":{"page":0},"data":[]}'), delay, bodyTime: 0 };
    }
    const refusal = refusalOf(shape, chance(1));
    if (refusal !== undefined) {
      fail();
      return { ...refusal, delay, bodyTime: 0 };
    }
    const { headers, body } = numbered(ready[page % ready.length] ?? template(shape, 0), page, shape);
    const isCut = chance(2) < shape.cuts;
    if (isCut) fail();
    else failures.delete(page);
    return { status: 200, headers, body, delay, bodyTime: shape.body, ...(isCut ? { cutAt: body.length >> 1 } : {}) };
  };

  return {
    answer(target) {
      requests += 1;
      const { pathname, searchParams } = new URL(target, 'http://localhost');
      if (pathname === '/items') return pageAt(pageOf(searchParams, shape.items));
      if (pathname === '/huge') return huge(shape, Number(searchParams.get('bytes')));
      return { ...json('{"error":"there is only /items, /huge?bytes=N and /stats"}', 404), delay: 0, bodyTime: 0 };
    },
    counts: () => ({ requests, pastEnd, failed }),
  };
}

/** The page that a query asks for, from 1, in any way of paging. */
function pageOf(query: URLSearchParams, items: number): number {
  const offset = query.get('offset');
  if (offset !== null) return Math.floor(Number(offset) / items) + 1;
  return Number(query.get('cursor') ?? query.get('page') ?? 1);
}

function refusalOf({ failures, limited }: ApiShape, chance: number) {
  if (chance < failures) return json('{"error":"try again"}', 503);
  if (chance >= failures + limited) return undefined;
  const { headers, ...rest } = json('{"error":"too many requests"}', 429);
  return { ...rest, headers: { ...headers, 'retry-after': '1' } };
}

const json = (content: string, status = 200) => ({ status, headers: jsonHeaders, body: Buffer.from(content) });
const jsonHeaders = { 'content-type': 'application/json' };

interface PageTemplate {
  readonly body: Buffer;
  /** Where the number of the page belongs. */
  readonly marks: readonly number[];
  readonly nextAt: number;
}

function template({ item, items, cursor }: ApiShape, index: number): PageTemplate {
  const list = Array.from({ length: items }, (_, at) => itemMakers[item](index * items + at));
  const [first, ...others] = list;
  const data = JSON.stringify([{ ...(first as object), page: numberMark }, ...others]); // each maker makes an object
  const meta = `"meta":{"page":"${numberMark}","next":${nextMark}}`;
  const body = Buffer.from(cursor === 'first' ? `{${meta},"data":${data}}` : `{"data":${data},${meta}}`);
  return { body, marks: [body.indexOf(numberMark), body.lastIndexOf(numberMark)], nextAt: body.indexOf(nextMark) };
}

/** Pages of the same items differ by their number, and so do their first items, as in a real API. */
function numbered({ body, marks, nextAt }: PageTemplate, page: number, { pages }: ApiShape) {
  const copy = Buffer.from(body);
  const digits = (value: number) => String(value).padStart(numberMark.length, '0');
  for (const at of marks) copy.write(digits(page), at);
  const isLast = page >= pages;
  copy.fill(' ', nextAt, nextAt + nextMark.length).write(isLast ? 'null' : `"${digits(page + 1)}"`, nextAt);
  const link = isLast ? {} : { link: `</items?page=${page + 1}>; rel="next"` };
  return { body: copy, headers: { ...jsonHeaders, ...link } };
}

/** One page of about so many bytes. */
function huge({ item }: ApiShape, bytes: number): PlannedResponse {
  const items = Array.from({ length: 200 }, (_, index) => JSON.stringify(itemMakers[item](index)));
  const block = Buffer.from(items.join(','));
  const endless = { block, bytes: Number.isFinite(bytes) ? bytes : 0, end: ']}' };
  return { ...json('{"data":['), endless, delay: 0, bodyTime: 0 };
}

/** A number from 0 to 1 that depends on all arguments (the finalizer of MurmurHash3, applied to each). */
function random(...values: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const value of values) {
    state = Math.imul(state ^ value, 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return (state >>> 0) / 2 ** 32;
}

/** A configuration that reads all pages of the API. */
export function configurationFor(origin: string, { paging, items }: ApiShape): object {
  const pagination = {
    page: { method: 'pagenum' },
    offset: { method: 'offset', limit: items },
    cursor: { method: 'response.param', responseParam: 'meta.next', queryParam: 'cursor' },
    link: { method: 'link-header' },
  }[paging];
  const job = { endpoint: 'items', dataField: 'data', dataType: 'items' };
  return { api: { baseUrl: `${origin}/`, pagination }, config: { jobs: [job] } };
}
