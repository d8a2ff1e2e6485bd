/** The shape of the generated API: what it serves, how slowly, and how often it fails. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';

export const pagings = ['page', 'offset', 'cursor', 'link'] as const;
export const itemShapes = ['customer', 'tiny', 'text', 'numbers'] as const;
const cursorPlaces = ['first', 'last'] as const;

/** Times in ms, shares from 0 to 1. */
export interface ApiShape {
  readonly pages: number;
  /** Items a page. */
  readonly items: number;
  readonly item: (typeof itemShapes)[number];
  /** How the configuration for this API pages. The API answers all ways. */
  readonly paging: (typeof pagings)[number];
  /** Time until the first byte of a response. */
  readonly latency: number;
  /** The largest random time that is added to the latency. */
  readonly jitter: number;
  /** Time from the first byte of a body to its last. */
  readonly body: number;
  /** Whether the next cursor comes before the items or after them. */
  readonly cursor: (typeof cursorPlaces)[number];
  /** Share of requests that get status 503. */
  readonly failures: number;
  /** Share of requests that get status 429 with `Retry-After: 1`. */
  readonly limited: number;
  /** Share of responses whose connection breaks in the middle of the body. */
  readonly cuts: number;
  readonly seed: number;
}

export const defaultShape: ApiShape = {
  pages: 200,
  items: 1000,
  item: 'customer',
  paging: 'page',
  latency: 0,
  jitter: 0,
  body: 0,
  cursor: 'first',
  failures: 0,
  limited: 0,
  cuts: 0,
  seed: 1,
};

type Parse = (name: string, text: string) => number | string;

const whole =
  (least: number, most: number): Parse =>
  (name, text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value >= least && value <= most) return value;
    throw usageError(`--shape ${name} is a whole number from ${least} to ${most}, found "${text}"`);
  };

const share: Parse = (name, text) => {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= 0.9) return value;
  throw usageError(`--shape ${name} is a share from 0 to 0.9, such as 0.05, found "${text}"`);
};

const oneOf =
  (words: readonly string[]): Parse =>
  (name, text) => {
    if (words.includes(text)) return text;
    throw usageError(`--shape ${name} is ${words.join(', ')}, found "${text}"${didYouMean(text, words)}`);
  };

const minute = 60_000;

const parsers: Readonly<Record<keyof ApiShape, Parse>> = {
  pages: whole(1, 9_999_999),
  items: whole(1, 100_000),
  item: oneOf(itemShapes),
  paging: oneOf(pagings),
  latency: whole(0, minute),
  jitter: whole(0, minute),
  body: whole(0, minute),
  cursor: oneOf(cursorPlaces),
  failures: share,
  limited: share,
  cuts: share,
  seed: whole(0, 999_999_999),
};

const keys = Object.keys(parsers);
const isKey = (name: string): name is keyof ApiShape => keys.includes(name);

/** Reads `pages=200,latency=50`. Of several texts the last value of a key counts. Throws ERR_USAGE. */
export function parseShape(texts: readonly string[]): ApiShape {
  const pairs = texts.flatMap((text) => text.split(','));
  const values = pairs.map((pair) => {
    const [name = '', ...rest] = pair.split('=');
    if (!isKey(name)) {
      throw usageError(`--shape: unknown key "${name}"${didYouMean(name, keys)}; the keys are ${keys.join(', ')}`);
    }
    if (rest.length === 0) throw usageError(`--shape ${name} needs a value, such as ${name}=${defaultShape[name]}`);
    return [name, parsers[name](name, rest.join('='))];
  });
  return { ...defaultShape, ...Object.fromEntries(values) };
}

/** `pages=200,items=1000`: the keys that differ from the default, and how much there is. */
export const shapeText = (shape: ApiShape): string =>
  keys
    .filter(isKey)
    .filter((key) => key === 'pages' || key === 'items' || shape[key] !== defaultShape[key])
    .map((key) => `${key}=${shape[key]}`)
    .join(',');
