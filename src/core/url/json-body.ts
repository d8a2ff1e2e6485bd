/**
 * Writes the JSON body of a request as Generic Extractor does, byte for byte: compact, ASCII, `/` escaped, `[]` for
 * every empty value.
 */
import { type Exact, type ExactObject, isArray, isNumber } from '../json/exact.js';

/**
 * Returns the parameters as JSON. Number text is preserved. No parameters, or names that count up from 0, become a
 * list. docs/12-compatibility.md#parameters.
 */
export function encodeJsonBody(params: ExactObject): string {
  const isList = [...params.keys()].every((name, index) => name === String(index));
  return isList ? list([...params.values()]) : object(params);
}

/** Returns a JSON string in ASCII, with `/` as `\/` and other characters as \uXXXX in lower-case hex. */
export function asciiJson(text: string): string {
  return JSON.stringify(text)
    .replaceAll('/', '\\/')
    .replace(/[^\x20-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function write(value: Exact): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return asciiJson(value);
  if (isNumber(value)) return value.text;
  if (isArray(value)) return list(value);
  return value.size === 0 ? '[]' : object(value);
}

const list = (values: readonly Exact[]): string => `[${values.map(write).join(',')}]`;

const object = (members: ExactObject): string =>
  `{${[...members].map(([name, member]) => `${asciiJson(name)}:${write(member)}`).join(',')}}`;
