/** The page size of a job: its own limit, or else the configured one. docs/12-compatibility.md#parameters. */
import { type Exact, ExactNumber, type ExactObject, isNumber } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import type { OptionRows } from '../core/options/kind.js';
import { whole } from '../core/options/kinds.js';
import { stringOrPath } from '../language/kinds.js';
import { ownValue, shownParam } from './param.js';
import type { Param, Stop } from './types.js';
import { isEmpty } from './values.js';

/** An integer as a parameter. */
export const numberParam = (value: number): ExactNumber => new ExactNumber(String(value));

/** The keys of methods with an optional page size. */
export const sizingFields = {
  limit: {
    kind: whole(0),
    default: 0,
    otherwise: 'no limit',
    summary: 'the page size; 0 means no limit',
    emptyIsAbsent: true,
  },
  limitParam: {
    kind: stringOrPath,
    summary: 'the parameter for the page size',
    default: 'limit',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

/** The options for the size of a full page. `limit` 0: none is configured. */
export interface Sizing {
  readonly limitParam: Param;
  readonly limit: number;
}

/**
 * Returns how many items a full page has. The job's own limit wins over the configured one; if it is no number, the
 * size is unknown.
 */
export function sizeOf(params: ExactObject, { limitParam, limit }: Sizing): { limit?: number; warning?: Notice } {
  const own = ownValue(params, limitParam);
  if (isEmpty(own)) return limit > 0 ? { limit } : {};
  const number = typeof own === 'string' || isNumber(own) ? String(own).trim() : '';
  if (/^[+-]?\d+(?:\.\d+)?$/.test(number)) {
    const size = Math.trunc(Number(number));
    return size > 0 ? { limit: size } : {};
  }
  const message = `the job parameter "${shownParam(limitParam)}" is not a number: only an empty page ends its pagination`;
  return { warning: { level: 'warning', code: 'limit-not-a-number', message } };
}

/**
 * Returns why the page is the last: it is shorter than the limit, or, without a limit, empty. Returns `undefined`
 * otherwise.
 */
export function underflow(
  job: { readonly name: string; readonly params: ExactObject },
  count: number,
  sizing: Sizing,
): Stop | undefined {
  const { limit, warning } = sizeOf(job.params, sizing);
  if (count > 0 && (limit === undefined || count >= limit)) return undefined;
  const by = count === 0 ? 'empty page' : 'short page';
  const stop = count === 0 ? 'an empty page' : `a page shorter than the limit (${count} of ${limit})`;
  return warning === undefined ? { stop, by } : { stop, by, warning: { ...warning, job: job.name } };
}

/** The integer of a parameter; 0 if it is no number. */
export function integerOf(value: Exact | undefined): number {
  const number = typeof value === 'string' || isNumber(value ?? null) ? Number(String(value)) : 0;
  return Number.isFinite(number) ? Math.trunc(number) : 0;
}
