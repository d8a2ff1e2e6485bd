/** Converts an evaluated map to header lines. */

import { mapCollecting } from '../../core/errors/collect-errors.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isObject } from '../../core/json/exact.js';
import type { Headers } from '../../core/model/request.js';
import { kindOf, textOf } from './text.js';

/**
 * A single value becomes one line, a list a line for each element; null is an empty line. Surrounding white space is
 * removed, as `fetch` does. `place` is the map's path in the configuration. Throws ERR_FUNCTION with the path of the
 * header, never with its value. docs/12-compatibility.md#headers.
 */
export function headersFrom(map: ExactObject, place: string): Headers {
  return new Map(mapCollecting(map, ([name, value]) => [name, linesOf(value, `${place}.${name}`)] as const));
}

function linesOf(value: Exact, place: string): readonly string[] {
  if (!isArray(value)) return [lineOf(value, place)];
  return value.map((each, index) => lineOf(each, `${place}.${index}`));
}

function lineOf(value: Exact, place: string): string {
  if (isArray(value) || isObject(value)) {
    throw new ExtractError('ERR_FUNCTION', `${place}: a header is a text, found ${kindOf(value)}`, {
      path: place,
    });
  }
  const line = textOf(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (!isHeaderText(line)) {
    throw new ExtractError('ERR_FUNCTION', `${place}: the value contains a character that is not allowed in a header`, {
      path: place,
    });
  }
  return line;
}

/** RFC 9110 5.5: tab, visible ASCII and bytes above it. Line breaks would start a new header. */
const isHeaderText = (line: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(line);
