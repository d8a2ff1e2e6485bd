/** JSON values without loss: number text as written, members in their order, no special member names. */

/** A JSON number as its text, with any number of digits. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

export type Exact = null | boolean | string | ExactNumber | ExactArray | ExactObject;
export type ExactArray = readonly Exact[];
export type ExactObject = ReadonlyMap<string, Exact>;

export const emptyObject: ExactObject = new Map();

export const isObject = (value: unknown): value is ExactObject => value instanceof Map;
export const isArray = (value: unknown): value is ExactArray => Array.isArray(value);
export const isNumber = (value: unknown): value is ExactNumber => value instanceof ExactNumber;

/** Whether PHP's `empty()` is true for the value, as Generic Extractor tests it. docs/12-compatibility.md#values. */
export function isPhpEmpty(value: Exact | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '' || value === '0') return true;
  if (isNumber(value)) return Number(value.text) === 0;
  if (isArray(value)) return value.length === 0;
  return isObject(value) && value.size === 0;
}

/** Deeper than any valid document: a value that reaches it is circular, or would soon overflow the stack. */
const deepest = 1000;

/**
 * Converts a value that `JSON.stringify` accepts into an exact one. A bigint becomes a number, `undefined` members are
 * left out, and `toJSON` is called where it exists, as on dates. Throws TypeError with the path for any other value.
 */
export function fromPlain(value: unknown, path: readonly (string | number)[] = []): Exact {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value;
  if (typeof value === 'bigint') return new ExactNumber(value.toString());
  if (typeof value === 'number' && Number.isFinite(value)) return new ExactNumber(JSON.stringify(value));
  if (typeof value !== 'object')
    throw noJsonForm(value === undefined || typeof value === 'number' ? String(value) : `a ${typeof value}`, path);
  if (path.length > deepest) throw noJsonForm('a circular structure', path.slice(0, 3));
  if (Array.isArray(value)) return value.map((element, index) => fromPlain(element, [...path, index]));
  if ('toJSON' in value && typeof value.toJSON === 'function') return fromPlain(value.toJSON(), path);
  const members =
    value instanceof Map ? [...value] : Object.entries(value).filter(([, member]) => member !== undefined);
  return new Map(members.map(([name, member]) => [String(name), fromPlain(member, [...path, String(name)])]));
}

function noJsonForm(what: string, path: readonly (string | number)[]): TypeError {
  return new TypeError(`${path.length === 0 ? '' : `${path.join('.')}: `}${what} cannot be written as JSON`);
}

/** Returns the value as compact JSON. */
export function stringifyExact(value: Exact): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isNumber(value)) return value.text;
  let text = '';
  if (isArray(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${stringifyExact(element)}`;
    return `[${text}]`;
  }
  for (const [name, member] of value) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${stringifyExact(member)}`;
  }
  return `{${text}}`;
}

/**
 * Returns how the value begins as compact JSON: `most` characters of it, or all if it is shorter. Takes memory by
 * `most`, not by the size of the value.
 */
export function stringifyStart(value: Exact, most: number): string {
  if (isArray(value)) return startOfAll('[]', value, stringifyStart, most);
  if (isObject(value)) return startOfAll('{}', value, startOfMember, most);
  return stringifyExact(typeof value === 'string' ? value.slice(0, most) : value).slice(0, most);
}

const startOfMember = ([name, value]: readonly [string, Exact], most: number): string =>
  `${stringifyStart(name, most)}:${stringifyStart(value, most)}`;

type StartOf<T> = (each: T, most: number) => string;

function startOfAll<T>(brackets: '[]' | '{}', all: Iterable<T>, startOf: StartOf<T>, most: number): string {
  let text = brackets.charAt(0);
  for (const each of all) {
    text += `${text.length === 1 ? '' : ','}${startOf(each, most - text.length)}`;
    if (text.length >= most) break;
  }
  return `${text}${brackets.charAt(1)}`.slice(0, most);
}

/**
 * Follows a path: a segment is an object member, or digits that index an array. Returns `undefined` if there is
 * nothing.
 */
export function exactAt(value: Exact, segments: readonly string[]): Exact | undefined {
  let at: Exact | undefined = value;
  for (const segment of segments) {
    if (isObject(at)) at = at.get(segment);
    else if (isArray(at)) at = /^\d+$/.test(segment) ? at[Number(segment)] : undefined;
    else return undefined;
  }
  return at;
}

/**
 * Splits a path. A path that equals the delimiter means the whole value: no segments. docs/12-compatibility.md#values.
 */
export function splitPath(path: string, delimiter = '.'): readonly string[] {
  if (path === delimiter) return [];
  return path.split(delimiter);
}
