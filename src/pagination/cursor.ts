/** Pagination by the highest or lowest id so far. docs/03-pagination.md#cursor. */

import { ExtractError } from '../core/errors/errors.js';
import { type Exact, ExactNumber, exactAt, isNumber, splitPath } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import { itemAt } from '../core/model/batch.js';
import type { OptionRows } from '../core/options/kind.js';
import { nonEmptyText, whole } from '../core/options/kinds.js';
import { mostValueBytes } from '../core/util/limits.js';
import type { Component } from '../language/component.js';
import { kindOf } from '../language/expression/convert.js';
import { boolean, nonEmptyStringOrPath } from '../language/kinds.js';
import { bodyParams, jobRequest, pathRule, withParam } from './param.js';
import type { Paginator } from './types.js';
import { parseInteger } from './values.js';

const fields = {
  idKey: { kind: nonEmptyText, summary: 'path in each item to its id', required: true },
  param: { kind: nonEmptyStringOrPath, summary: 'the parameter that carries the id', required: true },
  reverse: { kind: boolean, summary: 'whether to use the lowest id instead of the highest', default: false },
  increment: { kind: whole(), summary: 'added to the id; may be negative', default: 0, emptyIsAbsent: true },
} satisfies OptionRows;

export const cursor: Component<typeof fields, Paginator> = {
  summary: 'requests items above the highest id so far, until a page is empty',
  fields,
  rules: [
    'The first request is the job itself, with its own value of `param`, if any. The next requests set `param`.',
    'The highest or lowest id is that of all pages so far. Ids may have up to 65,536 digits; a fraction is cut off.',
    'If an id is missing or not a number, that is the error `ERR_PAGINATION`.',
    'It ends at a page without items.',
    pathRule,
  ],
  example: '{ "method": "cursor", "idKey": "id", "param": "since_id", "increment": 1 }',

  create({ idKey, param, reverse, increment }) {
    const segments = splitPath(idKey);
    const isFarther = (id: bigint, than: bigint) => (reverse ? id < than : id > than);
    return {
      captures: [],
      cursor: param,
      bodyParams: bodyParams({ param }),
      first: (job) => jobRequest(job),
      fold(memo, items) {
        let farthest = typeof memo === 'string' ? BigInt(memo) : undefined;
        for (let index = 0; index < items.count; index++) {
          const id = parseId(itemAt(items, index), segments, idKey);
          if (farthest === undefined || isFarther(id, farthest)) farthest = id;
        }
        return farthest === undefined ? null : String(farthest);
      },
      next(job, { count, memo }) {
        if (count === 0 || typeof memo !== 'string') return { stop: 'an empty page', by: 'empty page' };
        const value = new ExactNumber(String(BigInt(memo) + BigInt(increment)));
        return withParam(jobRequest(job), param, value);
      },
    };
  },
};

/** Parses fast, and again exactly if a number would lose digits. */
function parseId(json: string, segments: readonly string[], idKey: string): bigint {
  const quick = plainAt(JSON.parse(json), segments);
  if (typeof quick === 'number' && Number.isSafeInteger(quick)) return BigInt(quick);
  const value = exactAt(parseExact(json), segments);
  if (lengthOf(value) > mostValueBytes) {
    throw new ExtractError(
      'ERR_PAGINATION',
      `the id at "${idKey}" of an item has more than ${mostValueBytes} characters`,
    );
  }
  const id = typeof value === 'string' || isNumber(value) ? parseInteger(String(value)) : undefined;
  if (id !== undefined) return id;
  throw new ExtractError('ERR_PAGINATION', `expected a number at "${idKey}" of each item, found ${shown(value)}`);
}

/** As `exactAt`, for values of `JSON.parse`. */
function plainAt(value: unknown, segments: readonly string[]): unknown {
  let at = value;
  for (const segment of segments) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = Reflect.get(at, segment);
  }
  return at;
}

const lengthOf = (value: Exact | undefined): number =>
  typeof value === 'string' || isNumber(value) ? String(value).length : 0;

const longest = 40;

/** Shows a short value, so that users can search for it; otherwise its kind. */
function shown(value: Exact | undefined): string {
  if (value === undefined) return 'nothing';
  const isShort = (typeof value === 'string' && value.length <= longest) || typeof value === 'boolean';
  return isShort ? JSON.stringify(value) : kindOf(value);
}
