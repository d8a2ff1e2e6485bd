/** Reads options by their table, and describes everything that is wrong with them at once. */
import { isArray, isNumber } from '../json/exact.js';
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
    ...[...values.keys()].flatMap((name) => excluded(rows, name, values)),
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
    values.set(name, isRepeated ? [...(Array.isArray(before) ? before : []), value] : value);
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
  const { message } = valueBy(row.kind, value, source);
  return message === undefined ? undefined : { name, message };
}

/** The value of a kind, or why it is none. */
export function valueBy<T>(kind: Kind<T>, value: unknown, source: OptionSource) {
  const read = source === 'text' ? fromText(kind, value) : value;
  const [error, result] = kind.struct.validate(read, { coerce: source === 'document' });
  if (error === undefined) return { value: result as T }; // checked just now
  const { path, type, refinement } = error;
  if (path.length > 0) {
    return { message: `expected ${refinement ?? type} at ${path.join('.')}, found ${describeKind(error.value)}` };
  }
  const expected = refinement ?? expectedBy(kind, source);
  return { message: `expected ${expected}, found ${foundIn(kind, value, source)}${hintOf(kind, value)}` };
}

function fromText({ text, each }: Kind<unknown>, value: unknown): unknown {
  if (Array.isArray(value)) return each === undefined ? value : value.map((element) => fromText(each, element));
  return text === undefined || typeof value !== 'string' ? value : text.read(value);
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

function excluded(rows: OptionRows, name: string, given: ReadonlyMap<string, unknown>): readonly OptionProblem[] {
  const others = (Object.hasOwn(rows, name) ? rows[name]?.excludes : undefined) ?? [];
  const met = others.filter((other) => given.has(other));
  return met.map((other) => ({ name, message: `cannot be used with ${other}: remove one of them` }));
}

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
