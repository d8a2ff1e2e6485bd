/** What a recording keeps of the response of a login: its shape, and when its credentials expire. */
import { type Exact, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import { parseIfJson } from '../core/json/exact-parse.js';
import type { Secrets } from '../core/model/secrets.js';
import { maskText } from '../core/secrets/secrets.js';
import type { ResponseHeaders } from '../http/types.js';
import { createBodyMask, type MaskedPart } from './mask-body.js';
import { maskResponseHeaders } from './mask-response.js';

/** Masks the body of a login: secrets, and every other text of JSON but dates, numbers and short words. */
export function maskLogin(body: Uint8Array, secrets: Pick<Secrets, 'find'>): MaskedPart {
  if (body.length === 0) return { line: 'text', value: '', masked: 0 };
  const value = parseIfJson(body);
  if (value === undefined) return { line: 'text', value: maskText, masked: 1 };
  const mask = createBodyMask(secrets, '');
  const parts = [...mask.push(Buffer.from(stringifyExact(maskTexts(value)))), ...mask.end('whole')];
  return {
    line: 'text',
    value: parts.map((part) => part.value).join(''),
    masked: parts.reduce((sum, { masked }) => sum + masked, 0),
  };
}

/** Headers of a login that a run reads, or that describe its body. */
const read = /^(?:content-type|location|date|retry-after|(?:x-)?rate-?limit.*)$/;

/** Keeps the headers that a run reads. */
export const maskLoginHeaders = (headers: ResponseHeaders, secrets: Secrets) =>
  maskResponseHeaders(Object.fromEntries(Object.entries(headers).filter(([name]) => read.test(name))), { secrets });

/** A word such as `Bearer`, or a part of a date or of a number. */
const harmless = /^(?:[a-z]{1,8}|[\d\s:.+-]*|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)$/i;

function maskTexts(value: Exact): Exact {
  if (isArray(value)) return value.map(maskTexts);
  if (isObject(value)) return new Map([...value].map(([name, each]) => [name, maskTexts(each)]));
  return typeof value === 'string' && !harmless.test(value) ? maskText : value;
}
