/** Ends a walk at a number of items from the configuration or the response. docs/03-pagination.md#ending-sooner. */

import { ExtractError } from '../core/errors/errors.js';
import { type Exact, isNumber, splitPath } from '../core/json/exact.js';
import type { OptionRows } from '../core/options/kind.js';
import { nonEmptyText, whole } from '../core/options/kinds.js';
import type { Component } from '../language/component.js';
import { capturedAt, captureKind } from './capture.js';
import type { StopRule } from './stop-rule.js';
import type { Stop } from './types.js';
import { parseInteger } from './values.js';

const fields = {
  count: { kind: whole(0), summary: 'the number of items', emptyIsAbsent: true },
  field: { kind: nonEmptyText, summary: 'path in each response to that number', emptyIsAbsent: true },
} satisfies OptionRows;

export const limitStop: Component<typeof fields, StopRule> = {
  summary: 'ends a job after a number of items',
  fields,
  rules: [
    'Set one of them, not both. The last page is written whole, even if it goes beyond the number.',
    'A response without a number at `field` ends the job.',
  ],
  example: '{ "method": "pagenum", "limitStop": { "field": "paging.total" } }',

  create({ count, field }) {
    if (count !== undefined && field === undefined) {
      const ends: StopRule['ends'] = ({ items }) => wanted(endAt(items, BigInt(count)));
      return { ends, left: ({ items }) => ({ items: count - items }) };
    }
    if (field === undefined || count !== undefined) {
      const found = field === undefined ? 'neither' : 'both';
      throw new ExtractError('ERR_CONFIG', `expected one of "count" (1 or more) and "field", found ${found}`);
    }
    const path = captureKind(splitPath(field));
    return {
      captures: [path],
      ends: (page) => endAt(page.items, limitOf(capturedAt(page, path))),
      left: (before) => ({ items: Number(limitOf(capturedAt(before, path))) - before.items }),
    };
  },
};

/** A value that is no number counts as 0. */
const limitOf = (value: Exact | undefined): bigint =>
  (typeof value === 'string' || isNumber(value) ? parseInteger(String(value)) : undefined) ?? 0n;

/** A limit of the configuration explains why items are missing. */
const wanted = (stop: Stop | undefined): Stop | undefined =>
  stop === undefined ? undefined : { ...stop, isWanted: true };

const endAt = (items: number, limit: bigint): Stop | undefined =>
  BigInt(items) >= limit ? { stop: `limitStop: ${items} items of ${limit}`, by: 'limit stop' } : undefined;
