/** Reads options by their table, and describes everything that is wrong with them at once. */
import { isArray, isNumber } from '../json/exact.js';
import { usageError } from '../util/check-value.js';
import { didYouMean } from '../util/suggest.js';
import type { Kind, OptionRows, OptionsOf } from './kind.js';
import { withDefaults } from './object-kinds.js';

/** `text`: an address or flags. `document`: exact JSON. `code`: values of JavaScript. */
export type OptionSource = 'text' | 'document' | 'code';

/** What is wrong with one option. */
export interface OptionProblem {
  readonly name: string;
  /** Completes "NAME: ". */
  readonly message: string;
  /** Of a value of the wrong kind. */
  readonly mismatch?: Mismatch;
  /** The other option, of two that exclude each other. */
  readonly excluded?: string;
}

/** Complete options, or all problems. */
export type OptionResult<Rows extends OptionRows> =
  | { readonly options: OptionsOf<Rows>; readonly problems?: undefined }
  | { readonly problems: readonly OptionProblem[] };

/**
 * Reads options that are given by name. A list collects the values of its name; otherwise the last one counts.
 * `undefined` counts as absent, in a document null too.
 */
export function readOptions<const Rows extends OptionRows>(
  rows: Rows,
  given: Iterable<readonly [name: string, value: unknown]>,
  source: OptionSource,
): OptionResult<Rows> {
  const values = collect(rows, given, source);
  const problems = [...values].flatMap(([name, value]) => problemOf(rows, name, value, source) ?? []);
  const missing = Object.entries(rows).filter(([name, { required }]) => required === true && !values.has(name));
  const all = [
    ...problems,
    ...missing.map(([name, { kind }]) => ({ name, message: `required: expected ${expectedBy(kind, source)}` })),
    ...[...values.keys()].flatMap((name) =>
      excludedBy(rows, name, (other) => values.has(other)).map((excluded) => ({
        name,
        message: exclusion(excluded),
        excluded,
      })),
    ),
  ];
  if (all.length > 0) return { problems: all };
  const read = [...values].map(([name, value]) => [name, rows[name] && valueBy(rows[name].kind, value, source).value]);
  return { options: withDefaults(rows, Object.fromEntries(read)) as OptionsOf<Rows> }; // each was checked by its kind
}

function collect(rows: OptionRows, given: Iterable<readonly [string, unknown]>, source: OptionSource) {
  const values = new Map<string, unknown>();
  for (const [name, value] of given) {
    if (value === undefined || (source === 'document' && value === null)) continue;
    const isRepeated = source === 'text' && Object.hasOwn(rows, name) && rows[name]?.kind.each !== undefined;
    const before = values.get(name);
    if (isRepeated && Array.isArray(before)) before.push(value);
    else values.set(name, isRepeated ? [value] : value);
  }
  return values;
}

function problemOf(rows: OptionRows, name: string, value: unknown, source: OptionSource): OptionProblem | undefined {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  const names = Object.keys(rows);
  if (row === undefined) {
    const near = didYouMean(name, names);
    return { name, message: `unknown${near === '' ? `: expected ${names.join(', ')}` : near}` };
  }
  const { mismatch } = valueBy(row.kind, value, source);
  if (mismatch === undefined) return undefined;
  const place = mismatch.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return { name: `${name}${place}`, message: mismatchText(mismatch), mismatch };
}

/** What is wrong with a value, or with a part of it at `path`. */
export interface Mismatch {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly found: string;
}

export const mismatchText = ({ expected, found }: Mismatch): string => `expected ${expected}, found ${found}`;

/** A value of a kind, or why it is none. */
export type ValueResult<T> =
  | { readonly value: T; readonly mismatch?: undefined }
  | { readonly value?: undefined; readonly mismatch: Mismatch };

/** The value of a kind, or why it is none. */
export function valueBy<T>(kind: Kind<T>, value: unknown, source: OptionSource): ValueResult<T> {
  const { each, text } = kind;
  if (source === 'text' && each !== undefined && Array.isArray(value)) {
    const parts = value.map((part) => valueBy(each, part, source));
    const wrong = parts.find(({ mismatch }) => mismatch !== undefined)?.mismatch;
    if (wrong !== undefined) return { mismatch: wrong };
    const values = parts.map((part) => part.value);
    return valueBy(kind, text?.join?.(values) ?? values, 'code');
  }
  const read = source === 'text' && typeof value === 'string' && text !== undefined ? text.read(value) : value;
  const [error, result] = kind.struct.validate(read, { coerce: source === 'document' });
  if (error === undefined) return { value: result as T }; // checked just now
  const { path, type, refinement } = error;
  if (path.length > 0 && source !== 'text') {
    return { mismatch: { path, expected: refinement ?? type, found: describeKind(error.value) } };
  }
  const expected = boundOf(kind, read, source) ?? refinement ?? expectedBy(kind, source);
  return { mismatch: { path: [], expected, found: `${foundIn(kind, value, source)}${hintOf(kind, value)}` } };
}

/** Returns a value that code gives. Throws ERR_USAGE with its name. */
export function valueInCode<T>(name: string, kind: Kind<T>, value: T): T {
  const { mismatch } = valueBy(kind, value, 'code');
  if (mismatch !== undefined) throw usageError(`${name}: ${mismatchText(mismatch)}`);
  return value;
}

/** The bound that a number exceeds, in words. */
function boundOf({ text }: Kind<unknown>, read: unknown, source: OptionSource): string | undefined {
  const most = text?.most ?? Number.MAX_SAFE_INTEGER;
  if (source === 'document' || typeof read !== 'number' || read <= most) return undefined;
  return `at most ${(source === 'text' ? text?.write?.(most) : undefined) ?? most}`;
}

/** What is expected of a value, in words. */
export const expectedBy = ({ struct, text }: Kind<unknown>, source: OptionSource): string =>
  source === 'text' ? (text?.expected ?? struct.type) : struct.type;

const hintOf = ({ offers = [] }: Kind<unknown>, value: unknown): string =>
  typeof value === 'string' ? didYouMean(value, offers) : '';

const longestShown = 40;

/** A short text, which the user has just written; otherwise only the kind of the value. */
function foundIn({ secretsIn }: Kind<unknown>, value: unknown, source: OptionSource): string {
  const isPublic = secretsIn === undefined || secretsIn(value).length === 0;
  const isShown = isPublic && source === 'text' && typeof value === 'string' && value.length <= longestShown;
  return isShown ? `"${value}"` : describeKind(value);
}

/** The options that are given too, although the option of this name excludes them. */
export function excludedBy(rows: OptionRows, name: string, isGiven: (name: string) => boolean): readonly string[] {
  return (Object.hasOwn(rows, name) ? (rows[name]?.excludes ?? []) : []).filter(isGiven);
}

/** What is wrong with an option that excludes another one. */
export const exclusion = (other: string): string => `cannot be used with ${other}: remove one of them`;

/** The kind of a value, without the value. */
export function describeKind(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (typeof value === 'boolean') return 'true or false';
  if (typeof value === 'number' && Number.isInteger(value)) return value < 0 ? 'a negative number' : 'a number';
  if (typeof value === 'number' || isNumber(value)) return kindOfNumber(String(value));
  if (isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'function' ? 'a function' : 'an object';
}

function kindOfNumber(text: string): string {
  if (/[.eE]/.test(text)) return 'a number with a fraction or an exponent';
  return text.startsWith('-') ? 'a negative number' : 'a number';
}
