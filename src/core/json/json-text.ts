/**
 * Writes values as Generic Extractor writes JSON text, byte for byte, for `responseFilter`.
 * docs/12-compatibility.md#text-as-php-writes-it.
 */

import { asciiJson } from '../url/json-body.js';
import { type Exact, isArray, isNumber } from './exact.js';
import { numberText } from './number-text.js';

/** Returns compact JSON with `\/`, and `\uXXXX` for everything outside ASCII; members keep their order. */
export function jsonText(value: Exact): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return asciiJson(value);
  if (isNumber(value)) return numberText(value.text, 17);
  if (isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  return `{${[...value].map(([name, member]) => `${asciiJson(name)}:${jsonText(member)}`).join(',')}}`;
}
