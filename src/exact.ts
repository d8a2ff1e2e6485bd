/** JSON kept exactly: number text as it was written, members in their order, no member name special. */

/** A JSON number by its text, however many digits. */
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

/** Turns a value that `JSON.stringify` could write into an exact one; bigint becomes a number, `undefined` members go. Throws TypeError otherwise. */
export function fromPlain(value: unknown): Exact {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof ExactNumber) return value;
  if (typeof value === 'bigint') return new ExactNumber(value.toString());
  if (typeof value === 'number' && Number.isFinite(value)) return new ExactNumber(JSON.stringify(value));
  if (Array.isArray(value)) return value.map(fromPlain);
  if (value instanceof Map) return new Map([...value].map(([name, member]) => [String(name), fromPlain(member)]));
  if (typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return new Map(members.map(([name, member]) => [name, fromPlain(member)]));
  }
  throw new TypeError(`a ${typeof value} has no JSON form`);
}

/** Writes the value as compact JSON. */
export function stringifyExact(value: Exact): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isNumber(value)) return value.text;
  if (isArray(value)) return `[${value.map(stringifyExact).join(',')}]`;
  return `{${[...value].map(([name, member]) => `${JSON.stringify(name)}:${stringifyExact(member)}`).join(',')}}`;
}

/** Follows a path: an object member, or an array element by a segment of digits. `undefined` where it leads nowhere. */
export function exactAt(value: Exact, segments: readonly string[]): Exact | undefined {
  let at: Exact | undefined = value;
  for (const segment of segments) {
    if (isObject(at)) at = at.get(segment);
    else if (isArray(at)) at = /^\d+$/.test(segment) ? at[Number(segment)] : undefined;
    else return undefined;
  }
  return at;
}
