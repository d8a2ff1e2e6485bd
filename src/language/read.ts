/**
 * Reads one object of a configuration by its fields and describes what does not fit. Of values only misspelt names are
 * shown.
 */

import { type Exact, type ExactObject, isArray, isNumber, isObject, isPhpEmpty } from '../core/json/exact.js';
import type { Kind, OptionRows, OptionsOf } from '../core/options/kind.js';
import { isAbsent, objectOf } from '../core/options/object-kinds.js';
import { describeKind, excludedBy, exclusion } from '../core/options/read-options.js';
import { didYouMeanKey, nearest } from '../core/util/suggest.js';
import { broughtName, broughtPlace } from './brought-names.js';
import type { ConfigPath } from './config-path.js';
import { object } from './kinds.js';

export { isPhpEmpty } from '../core/json/exact.js';

export interface ReadOptions {
  /** Members that are read elsewhere. */
  readonly besides?: readonly string[];
}

/**
 * Validates and coerces an object. Returns `undefined` if something does not fit, after reporting it to `place`.
 * Unknown members are warnings.
 */
export function readObject<const Rows extends OptionRows>(
  place: ConfigPath,
  value: Exact,
  fields: Rows,
  options: ReadOptions = {},
): OptionsOf<Rows> | undefined {
  if (isObject(value)) checkMembers(place, value, fields, options);
  return readValue(place, value, objectOf(fields));
}

/** Validates and coerces one value. Returns `undefined` if it does not fit, after reporting it to `place`. */
export function readValue<T>(place: ConfigPath, value: unknown, { struct }: Kind<T>): T | undefined {
  const [error, validated] = struct.validate(value, { coerce: true });
  if (error === undefined) return validated as T; // checked by its kind just now
  for (const failure of error.failures()) {
    const expected = failure.refinement ?? failure.type;
    place.at(...failure.path.filter(isStep)).problem(describeMismatch(expected, failure.value));
  }
  return undefined;
}

const isStep = (step: unknown): step is string | number => typeof step === 'string' || typeof step === 'number';

/**
 * Reads an object whose members are read one by one elsewhere. Returns `undefined` if it is none, after reporting it to
 * `place`.
 */
export function readSection(place: ConfigPath, value: Exact, options: ReadOptions): ExactObject | undefined {
  if (isObject(value)) checkMembers(place, value, {}, options);
  return readValue(place, value, object);
}

/**
 * Reads an object; other values are ignored with a warning, as in Generic Extractor. docs/01-configuration.md#api,
 * docs/reference/configuration.md#apihttp.
 */
export function objectOrNone(place: ConfigPath, value: Exact): ExactObject | undefined {
  if (isObject(value)) return value;
  if (!isPhpEmpty(value)) place.warn('no-object', `${describeMismatch('an object', value)}; not used`);
  return undefined;
}

/** Warns of unknown members, also in members that have fields of their own. */
function checkMembers(place: ConfigPath, value: ExactObject, fields: OptionRows, options: ReadOptions): void {
  const { besides = [] } = options;
  const isPresent = (key: string) => {
    const row = fields[key];
    return row !== undefined && !isAbsent(value.get(key) ?? null, row);
  };
  for (const [key, member] of value) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) {
      if (!isAbsent(member, field)) {
        for (const other of excludedBy(fields, key, isPresent)) place.at(key).problem(exclusion(place.at(other).path));
      }
      const inner = field.kind.rows;
      if (inner !== undefined && isObject(member)) checkMembers(place.at(key), member, inner, {});
    } else if (besides.includes(key)) continue;
    else warnUnknown(place.at(key), key, [...Object.keys(fields), ...besides], Object.keys(fields));
  }
}

/**
 * Reports that a member has no meaning, and suggests another one; names of `kin` may also match by their beginning.
 * docs/12-compatibility.md#the-document.
 */
export function warnUnknown(
  place: ConfigPath,
  key: string,
  valid: readonly string[],
  kin: readonly string[] = [],
): void {
  const brought = broughtName(key, valid);
  const near = brought === undefined ? didYouMeanKey(key, valid, kin) : `; did you mean "${brought}"?`;
  place.warn('unknown-key', `unknown key, not used${near || elsewhere(place, key)}`);
}

/** Returns where a key belongs that has no meaning here. */
function elsewhere({ path }: ConfigPath, key: string): string {
  const home = broughtPlace(key);
  return home === undefined || path.replace(/^parameters\./, '').startsWith(home) ? '' : `; see \`${home}\``;
}

/** Returns "expected ..., found ...". If quoted names are expected, a text is shown, with the nearest name. */
export function describeMismatch(expected: string, found: unknown): string {
  if (found === undefined || found === null) return `required: expected ${expected}`;
  const bound = describeBound(expected, found);
  if (typeof found !== 'string') return `expected ${expected}${bound}, found ${describeKind(found)}`;
  const names = namesIn(expected);
  const meant = intendedName(found, names);
  const digits = /^a whole number( from \d+ up)?$/.test(expected) ? ', or a string of digits' : '';
  const shown = isListOfNames(expected) ? shownName(found) : describeKind(found);
  return `expected ${expected}${bound}${digits}, found ${shown}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}

/** Returns the bound that an integer exceeds. */
function describeBound(expected: string, found: unknown): string {
  const text = isNumber(found) ? found.text : String(found);
  const number = typeof found === 'number' || /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!/^a whole number/.test(expected) || Math.abs(number) <= Number.MAX_SAFE_INTEGER) return '';
  if (number > 0) return `, at most ${Number.MAX_SAFE_INTEGER}`;
  return number < 0 && expected === 'a whole number' ? `, at least ${Number.MIN_SAFE_INTEGER}` : '';
}

const longestShown = 40;

/** Shows a misspelt name. A longer text is no name, and may be a secret whose beginning masking does not know. */
function shownName(text: string): string {
  if (text === '') return describeKind(text);
  if (text.length > longestShown) return `a string of more than ${longestShown} characters`;
  const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** The name that another tool uses for one of these, the nearest one, or one with the same beginning. */
export function intendedName(found: string, names: readonly string[]): string | undefined {
  const begun = names.find((each) => found.length > 1 && each.startsWith(found.toLowerCase()));
  return broughtName(found, names, 'values') ?? nearest(found, names) ?? begun;
}

/** Only names are expected, so a text in their place is meant as one. */
const isListOfNames = (expected: string): boolean => /^(?:one of )?"[^"]+"(?:(?:, | or )"[^"]+")*$/.test(expected);

/** The names at the beginning of an expectation. */
function namesIn(expected: string): readonly string[] {
  if (!/^(?:one of )?"/.test(expected)) return [];
  return [...expected.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
}

/** The names of a registry, for a sentence. */
export const oneOfNames = (names: readonly string[]): string => `one of ${names.map((each) => `"${each}"`).join(', ')}`;

/** The elements of a list with their indexes; an object is read as the list of its values. */
export function listEntries(value: Exact): readonly (readonly [string | number, Exact])[] | undefined {
  if (isArray(value)) return [...value.entries()];
  return isObject(value) ? [...value] : undefined;
}
