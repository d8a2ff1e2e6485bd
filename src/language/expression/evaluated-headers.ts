/** Converts an evaluated map to header lines. */

import { mapCollecting } from '../../core/errors/collect-errors.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isObject } from '../../core/json/exact.js';
import type { Headers } from '../../core/model/request.js';
import { headerValue } from '../../core/url/headers.js';
import { kindOf, toText } from './convert.js';

/**
 * A single value becomes one line, a list a line for each element; null is an empty line. Surrounding white space is
 * removed, as `fetch` does. `place` is the map's path in the configuration. Throws ERR_FUNCTION with the path of the
 * header, never with its value. docs/12-compatibility.md#headers.
 */
export function headersFrom(map: ExactObject, place: string): Headers {
  return new Map(mapCollecting(map, ([name, value]) => [name, headerLines(value, `${place}.${name}`)] as const));
}

function headerLines(value: Exact, place: string): readonly string[] {
  if (!isArray(value)) return [headerLine(value, place)];
  return value.map((each, index) => headerLine(each, `${place}.${index}`));
}

function headerLine(value: Exact, place: string): string {
  if (isArray(value) || isObject(value)) {
    throw new ExtractError('ERR_FUNCTION', `${place}: a header is a string, found ${kindOf(value)}`, {
      path: place,
    });
  }
  const line = toText(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (!headerValue.test(line)) {
    throw new ExtractError('ERR_FUNCTION', `${place}: the value contains a character that is not allowed in a header`, {
      path: place,
    });
  }
  return line;
}
