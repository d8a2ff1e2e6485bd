/** A paginated API from a seed: its list, its latency, its failures, and how it is pulled. */
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Dice } from '../chaos/dice.js';
import { type Api, type RecordedRequest, type Reply, startApi } from '../loopback/api.js';

const methods = ['pagenum', 'offset', 'response.param', 'response.url', 'link-header'] as const;

export interface World {
  readonly method: (typeof methods)[number];
  readonly limit: number;
  readonly total: number;
  /** The response declares the total. */
  readonly isDeclared: boolean;
  /** Requests a second, or no limit. */
  readonly rate: number | undefined;
  readonly prefetch: number | 'auto' | undefined;
  readonly maxPages: number | undefined;
  /** The probability of a failure. */
  readonly faults: number;
  /** The longest time in ms until a response begins. */
  readonly latency: number;
}

/** Everything follows from the dice. */
export function createWorld(dice: Dice): World {
  const method = dice.pick(methods);
  const limit = dice.between(1, 6);
  const isCounted = method === 'pagenum' || method === 'offset';
  return {
    method,
    limit,
    total: dice.pick([dice.between(0, 12 * limit), limit * dice.between(1, 10)]),
    isDeclared: dice.happens(0.4),
    rate: dice.happens(0.15) ? dice.between(2, 9) : undefined,
    prefetch: isCounted ? dice.pick([1, 2, 3, 8, 20, 'auto']) : undefined,
    maxPages: dice.happens(0.15) ? dice.between(1, 12) : undefined,
    faults: dice.pick([0, 0, 0.1, 0.3]),
    latency: dice.pick([0, 2, 6]),
  };
}

/** The configuration for the API at this origin; `isAhead`: with `prefetch` or `overlap`. */
export function configurationOf(world: World, origin: string, isAhead: boolean): object {
  const { method, limit, rate, prefetch } = world;
  const own = {
    pagenum: { limit },
    offset: { limit },
    'response.param': { responseParam: 'next', queryParam: 'at' },
    'response.url': { urlKey: 'next' },
    'link-header': {},
  }[method];
  const early = prefetch === undefined ? { overlap: true } : { prefetch };
  return {
    api: {
      baseUrl: `${origin}/`,
      pagination: { method, ...own, ...(isAhead ? early : {}) },
      ...(rate === undefined ? {} : { http: { rateLimit: `${rate}/s` } }),
    },
    config: { jobs: [{ endpoint: 'items', dataField: 'rows' }] },
  };
}

export interface WorldApi extends Api {
  /** Requests that wait for their response. */
  readonly inFlight: { now: number; most: number };
  /** Calls `then` when so many requests more have arrived. */
  after(requests: number, then: () => void): void;
}

/** Below the retries that a request has. */
const mostInARow = 3;

/** Starts the API. Requests past the end fail in various ways, or are empty pages. */
export async function startWorld(world: World, faults: number, dice: Dice): Promise<WorldApi> {
  const inARow = new Map<string, number>();
  const inFlight = { now: 0, most: 0 };
  let hook: { left: number; readonly then: () => void } | undefined;
  const count = () => {
    if (hook === undefined) return;
    hook.left -= 1;
    if (hook.left > 0) return;
    hook.then();
    hook = undefined;
  };
  const isFaulty = (target: string) => {
    const already = inARow.get(target) ?? 0;
    const fails = already < mostInARow && dice.happens(faults);
    inARow.set(target, fails ? already + 1 : 0);
    return fails;
  };
  const api = await startApi(async (request) => {
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    count();
    if (world.latency > 0) await setTimeout(dice.between(0, world.latency));
    inFlight.now -= 1;
    const page = pageOf(world, request);
    if (page === undefined) return dice.pick<Reply>(beyond);
    return isFaulty(request.target) ? faulty(dice, page) : page;
  });
  const after = (left: number, then: () => void) => {
    hook = { left, then };
  };
  return { ...api, inFlight, after };
}

/** The page at an address; undefined: a sequential run never asks for it. */
function pageOf({ method, limit, total, isDeclared }: World, { target }: RecordedRequest): Whole | undefined {
  const { searchParams } = new URL(target, 'http://api');
  const start = { pagenum: (Number(searchParams.get('page')) - 1) * limit, offset: Number(searchParams.get('offset')) };
  const from = method === 'pagenum' || method === 'offset' ? start[method] : Number(searchParams.get('at') ?? 0);
  if (from > total) return undefined;
  const rows = Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, index) => ({ id: from + index }));
  const next = from + limit < total ? from + limit : undefined;
  const link = next === undefined ? undefined : `/items?at=${next}`;
  const value = method === 'response.url' ? link : method === 'response.param' ? next : undefined;
  const body = { ...(isDeclared ? { total } : {}), ...(value === undefined ? {} : { next: String(value) }), rows };
  const headers = method === 'link-header' && link !== undefined ? { link: `<${link}>; rel="next"` } : {};
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

interface Whole extends Reply {
  readonly body: string;
}

const beyond: readonly [Reply, ...Reply[]] = [
  { status: 404, body: 'no such page' },
  { status: 500, body: 'out of range' },
  { status: 429, headers: { 'retry-after': '3600' }, body: 'slow down' },
  { status: 200, headers: { 'content-type': 'application/json' }, body: '{"rows":[]}' },
  { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
  { body: (response: ServerResponse) => void response.socket?.resetAndDestroy() },
];

/** A response that fails, or breaks. */
function faulty(dice: Dice, { headers, body }: Whole): Reply {
  const part = body.slice(0, dice.between(0, body.length - 1));
  return dice.pick<Reply>([
    { status: 503, body: 'busy' },
    { status: 429, headers: { 'retry-after': '30' }, body: 'slow down' },
    { status: 500, headers: { 'retry-after': '-1' } },
    { body: (response) => void response.socket?.resetAndDestroy() },
    { headers: headers ?? {}, body: (response) => void response.write(part, () => response.socket?.resetAndDestroy()) },
    {
      headers: { ...headers, 'content-length': String(body.length + 1) },
      body: (response) => void response.write(part, () => response.socket?.end()),
    },
  ]);
}
