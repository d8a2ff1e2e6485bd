/**
 * The page size of one job: its own limit before the configured one. Shared by the methods that count.
 * docs/12-compatibility.md#parameters.
 */
import { ExactNumber, type ExactObject, isNumber } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import { isEmpty } from './is-empty.js';
import { ownValue, shownParam } from './param.js';
import type { Param } from './types.js';

/** The configured name of a parameter, or its path; an empty one is the default. */
export const named = <T extends Param>(name: T | undefined, otherwise: string): T | string =>
  name === undefined || name.length === 0 ? otherwise : name;

/** A whole number as a parameter. */
export const numberParam = (value: number): ExactNumber => new ExactNumber(String(value));

/** What tells how many items a full page has. `limit` 0: none is configured. */
export interface Sizing {
  readonly limitParam: Param;
  readonly limit: number;
}

/**
 * How many items a full page has. One that the job gives counts before the configured one; one that is no number tells
 * nothing.
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

/** Whether the page is the last: it came short of the limit, or without a limit it is empty. The reason, or nothing. */
export function underflow(job: { readonly name: string; readonly params: ExactObject }, count: number, sizing: Sizing) {
  const { limit, warning } = sizeOf(job.params, sizing);
  if (count > 0 && (limit === undefined || count >= limit)) return undefined;
  const stop = count === 0 ? 'an empty page' : `a page shorter than the limit (${count} of ${limit})`;
  return warning === undefined ? { stop } : { stop, warning: { ...warning, job: job.name } };
}
