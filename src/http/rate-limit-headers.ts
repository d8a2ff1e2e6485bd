/** What a response says about the rate: its rate limit headers, and a refusal with a time. Pure functions. */
import { httpDate, retryAfter } from './retry-policy.js';

/** The number of requests left until a time in epoch ms. */
export interface RateLimitHint {
  readonly left: number;
  readonly until: number;
}

/** Names in lower case. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The response to a request. */
export interface AnsweredRequest {
  readonly status?: number;
  readonly headers: Headers;
}

export interface HoldRules {
  /** In ms. Longer waits are ignored; 0: all of them. */
  readonly longestHold: number;
  /** The header with the wait of a refusal. */
  readonly retryHeader: string;
}

/** What a response asks of all requests. */
export interface RateHold extends RateLimitHint {
  /** The API refused the request because there were too many: nothing is left. */
  readonly isRefusal: boolean;
}

/** The status of a request that the API refused because there were too many. RFC 6585 4. */
const tooManyRequests = 429;

/**
 * Returns what a response asks of all requests; undefined: nothing, or a wait that is too long. A refusal that states a
 * wait counts before the rate limit headers, unless these ask for a longer one. `now` in epoch ms.
 */
export function holdOf(
  { status, headers }: AnsweredRequest,
  { longestHold, retryHeader }: HoldRules,
  now: number,
): RateHold | undefined {
  if (longestHold === 0) return undefined;
  const isShort = ({ until }: RateLimitHint) => until - now <= longestHold;
  const hinted = rateLimitHint(headers, now);
  const hint = hinted !== undefined && isShort(hinted) ? hinted : undefined;
  const ms = status === tooManyRequests ? retryAfter({ headers }, { retryHeader }, now) : undefined;
  if (ms === undefined || ms === 0 || ms > longestHold) return hint && { ...hint, isRefusal: false };
  const until = Math.max(now + ms, hint?.left === 0 ? hint.until : 0);
  return { left: 0, until, isRefusal: true };
}

/** Pairs of headers: the remaining requests, and the reset time; the first reset header that is present counts. */
const pairs: readonly (readonly [remaining: string, resets: readonly string[]])[] = [
  ['ratelimit-remaining', ['ratelimit-reset']],
  ['x-ratelimit-remaining', ['x-ratelimit-reset-after', 'x-ratelimit-reset']],
  ['x-rate-limit-remaining', ['x-rate-limit-reset']],
];

/**
 * Returns the lowest remaining count of all headers: `RateLimit` in both its forms, `RateLimit-*`, `X-RateLimit-*`,
 * `X-Rate-Limit-*`. Undefined without usable headers: an unexpected kind of value or a time in the past is not usable.
 * `now` in epoch ms.
 */
export function rateLimitHint(headers: Headers, now: number): RateLimitHint | undefined {
  if (!isHinted(headers)) return undefined;
  const server = serverTime(headers, now);
  const hints = [...inOneHeader(headers), ...inPairs(headers)].flatMap(([left, reset]) => {
    const until = untilOf(reset, now, server);
    return /^\d{1,15}$/.test(left) && until !== undefined && until > now ? [{ left: Number(left), until }] : [];
  });
  return hints.sort((a, b) => a.left - b.left || b.until - a.until)[0];
}

/** A quick check: most responses have none of the headers. */
const isHinted = (headers: Headers): boolean =>
  headers.ratelimit !== undefined || pairs.some(([remaining]) => headers[remaining] !== undefined);

type StatedLimit = readonly [left: string, reset: string];

function inPairs(headers: Headers): readonly StatedLimit[] {
  return pairs.flatMap(([remaining, resets]) => {
    const left = single(headers[remaining]);
    const reset = resets.map((name) => single(headers[name])).find((each) => each !== undefined);
    return left === undefined || reset === undefined ? [] : [[left, reset] as const];
  });
}

/** Parses `"default";r=0;t=30`, a list of such, or `limit=100, remaining=0, reset=30`. */
function inOneHeader({ ratelimit }: Headers): readonly StatedLimit[] {
  const text = [ratelimit ?? []]
    .flat()
    .join(', ')
    .replaceAll(/"[^"]*"/g, 'name');
  const whole = statedLimits(text, /(?:^|[,;])\s*remaining=([^,;\s]*)/i, /(?:^|[,;])\s*reset=([^,;\s]*)/i);
  return [...whole, ...text.split(',').flatMap((item) => statedLimits(item, /;\s*r=([^,;\s]*)/, /;\s*t=([^,;\s]*)/))];
}

function statedLimits(text: string, remaining: RegExp, reset: RegExp): readonly StatedLimit[] {
  const [left, at] = [remaining.exec(text)?.[1], reset.exec(text)?.[1]];
  return left === undefined || at === undefined ? [] : [[left, at]];
}

function single(value: Headers[string]): string | undefined {
  const [text, ...more] = [value ?? []].flat();
  return more.length === 0 ? text?.trim() : undefined;
}

/**
 * Detects the unit of a number by its size: from 1e11 up epoch ms, from 1e9 up epoch seconds (since 2001), below that
 * seconds from now. Epochs use the clock of the server.
 */
function untilOf(reset: string, now: number, server: number): number | undefined {
  if (!/^\d{1,15}(\.\d+)?$/.test(reset)) return undefined;
  const value = Number(reset);
  if (value >= 1e11) return now + value - server;
  return value >= 1e9 ? now + value * 1000 - server : now + value * 1000;
}

/** Clocks that differ by less, in ms, count as equal: the header has whole seconds and a travel time. */
const clockSlack = 5000;

function serverTime(headers: Headers, now: number): number {
  const ahead = httpDate(single(headers.date) ?? '', 0);
  return ahead === undefined || Math.abs(ahead * 1000 - now) < clockSlack ? now : ahead * 1000;
}
