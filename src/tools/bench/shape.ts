/** The shape of the generated API: what it serves, how slowly, and how often it fails. */
import type { OptionRows, OptionsOf } from '../../core/options/kind.js';
import { decimal, whole, word } from '../../core/options/kinds.js';
import { withDefaults, writtenDefault } from '../../core/options/object-kinds.js';
import { readOptions } from '../../core/options/read-options.js';
import { usageError } from '../../core/util/check-value.js';
import { padEnd } from '../text/cells.js';

export const pagings = ['page', 'offset', 'cursor', 'link'] as const;
export const itemShapes = ['customer', 'tiny', 'text', 'numbers'] as const;

const share = decimal(0, 0.9, 'a share from 0 to 0.9, such as 0.05');
const ms = whole(0, 60_000);

/** Its keys. It answers all ways of paging. */
const rows = {
  pages: { kind: whole(1, 9_999_999), default: 200, summary: 'pages' },
  items: { kind: whole(1, 100_000), default: 1000, summary: 'items a page' },
  item: {
    kind: word(...itemShapes),
    default: 'customer',
    summary: 'customer (345 bytes), tiny, text (2 kB) or numbers (50 of them)',
  },
  paging: {
    kind: word(...pagings),
    default: 'page',
    summary: 'how the configuration pages: page, offset, cursor or link',
  },
  latency: { kind: ms, default: 0, summary: 'ms to the first byte' },
  jitter: { kind: ms, default: 0, summary: 'a random time up to so many ms in addition' },
  body: { kind: ms, default: 0, summary: 'ms from the first byte of a body to its last' },
  cursor: { kind: word('first', 'last'), default: 'first', summary: 'whether the next cursor comes first or last' },
  failures: { kind: share, default: 0, summary: 'share of requests with status 503' },
  limited: { kind: share, default: 0, summary: 'share of requests with status 429 and `Retry-After: 1`' },
  cuts: { kind: share, default: 0, summary: 'share of responses that break off in the middle of the body' },
  seed: { kind: whole(0, 999_999_999), default: 1, summary: 'where the random numbers begin' },
} satisfies OptionRows;

/** Times in ms, shares from 0 to 1. */
export type ApiShape = OptionsOf<typeof rows>;

export const defaultShape: ApiShape = withDefaults(rows, {});

/** The keys with their defaults, a line each. */
export const shapeHelp = (): string =>
  Object.entries(rows)
    .map(([name, row]) => `  ${padEnd(`${name}=${writtenDefault(row)}`, 16)}${row.summary}\n`)
    .join('');

/** Reads `pages=200,latency=50`. Of several texts the last value of a key counts. Throws ERR_USAGE. */
export function parseShape(texts: readonly string[]): ApiShape {
  const pairs = texts.flatMap((text) => text.split(','));
  const given = pairs.map((pair) => [pair.replace(/=.*/s, ''), pair.replace(/^[^=]*=?/, '')] as const);
  const read = readOptions(rows, given, 'text');
  if (read.problems === undefined) return read.options;
  throw usageError(read.problems.map(({ name, message }) => `--shape ${name}: ${message}`).join('\n'));
}

/** `pages=200,items=1000`: the keys that differ from the default, and how much there is. */
export const shapeText = (shape: ApiShape): string =>
  Object.entries(shape)
    .filter(([key, value]) => key === 'pages' || key === 'items' || value !== rows[key as keyof ApiShape].default)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
