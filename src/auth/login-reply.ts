/** Parses the response to a login request into an object. docs/03-login.md#the-reply. */
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isObject } from '../core/json/exact.js';
import { decode, parseExact } from '../core/json/exact-parse.js';
import { kindOf } from '../language/expression/convert.js';

/**
 * A text, or a JSON scalar, becomes the member `data`. Throws ERR_LOGIN, without quoting the response, for a list,
 * null, invalid JSON and invalid UTF-8. docs/03-login.md#the-reply.
 */
export function parseReply(body: Uint8Array, format: 'json' | 'text'): ExactObject {
  if (format === 'text') return new Map([['data', expecting('a string', () => decode(body))]]);
  const value: Exact = expecting('JSON', () => parseExact(body));
  if (isObject(value)) return value;
  if (value === null || isArray(value)) {
    throw new ExtractError('ERR_LOGIN', `the login response is ${kindOf(value)}, expected an object or a single value`);
  }
  return new Map([['data', value]]);
}

function expecting<T>(format: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    const { message, where } = asExtractError(thrown);
    const hint = format === 'JSON' ? '; if the response is plain text, set `format` to "text"' : '';
    throw new ExtractError('ERR_LOGIN', `the login response is not ${format}: ${message}${hint}`, where);
  }
}
