/** Values as cells of the reference tables, and as the text that their ids are computed from. */
import { type Exact, isArray, isNumber, isObject } from '../json/exact.js';
import { jsonText } from '../json/json-text.js';
import { numberText, wholeIn } from '../json/number-text.js';

/**
 * The text of a cell, as PHP converts values to strings: `true` is `1`, `false` and `null` are empty, numbers beyond 64
 * bits and fractions have 14 significant digits. Objects and lists are JSON. docs/15-tables.md#cells.
 */
export function cellText(value: Exact | undefined): string {
  if (value === undefined || value === null || value === false) return '';
  if (value === true) return '1';
  if (typeof value === 'string') return value;
  if (isNumber(value)) return numberText(value.text, 14).replace('e', 'E');
  return jsonText(value);
}

/** A cell between quotes, with its quotes doubled. */
export const quotedCell = (text: string): string => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;

/**
 * The value in the serialization format of PHP, of which Generic Extractor hashes ids: objects with their class, texts
 * with their length in UTF-8 bytes, doubles with 17 digits.
 */
export function serialized(value: Exact): string {
  if (value === null) return 'N;';
  if (typeof value === 'boolean') return value ? 'b:1;' : 'b:0;';
  if (typeof value === 'string') return serializedText(value);
  if (isNumber(value)) return serializedNumber(value.text);
  if (isArray(value))
    return `a:${value.length}:{${value.map((each, index) => `i:${index};${serialized(each)}`).join('')}}`;
  return `O:8:"stdClass":${value.size}:{${serializedMembers(value)}}`;
}

/** The same for a list with names, as PHP keeps added columns. */
export const serializedList = (members: ReadonlyMap<string, Exact>): string =>
  `a:${members.size}:{${serializedMembers(members)}}`;

function serializedMembers(members: ReadonlyMap<string, Exact>): string {
  let text = '';
  for (const [name, value] of members) text += serializedText(name) + serialized(value);
  return text;
}

const serializedText = (text: string): string => `s:${Buffer.byteLength(text)}:"${text}";`;

/** A double even if it has no fraction: `1.0`, `1e3`, and whole numbers beyond 64 bits. */
function serializedNumber(text: string): string {
  const whole = wholeIn(text);
  return whole !== undefined ? `i:${whole};` : `d:${numberText(text, 17).replace('e', 'E')};`;
}

/** Whether the value has parts. */
export const isNested = (value: Exact | undefined): boolean => isObject(value) || isArray(value);
