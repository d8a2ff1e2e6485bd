/** Reads a part of a configuration that a registry entry describes: `api.authentication`, `api.pagination`. */

import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isObject } from '../core/json/exact.js';
import type { Kind, OptionRow, OptionRows } from '../core/options/kind.js';
import { objectOf } from '../core/options/object-kinds.js';
import {
  checkExpression,
  checkExpressionMap,
  isExpression,
  type Names,
  type Scope,
} from '../language/check-expressions.js';
import { checkExpressionHeaders } from '../language/check-headers.js';
import type { ConfigContext } from '../language/component.js';
import type { ConfigPath } from '../language/config-path.js';
import { object } from '../language/kinds.js';
import { describeMismatch, intendedName, oneOfNames, readObject } from '../language/read.js';
import type { AnyComponent } from './registries.js';

/** The context of any entry. */
export type ComponentContext = Omit<ConfigContext, 'path' | 'isGiven'>;

export interface ComponentChoice {
  /** The member that names the entry: `type`, `method`. */
  readonly key: string;
  /** Members that are read elsewhere. */
  readonly besides: readonly string[];
  /** For entries that depend on other parts; absent: the rest of the configuration has problems. */
  readonly around?: ComponentContext | undefined;
}

/** An entry with options that passed its fields. */
export type ChosenComponent<Result, Context> = (context: Context) => Result;

/**
 * Finds the entry that `value` names and validates its options. Returns `undefined` if something does not fit, after
 * reporting it to `place`. If the name is unknown, the other members are checked by the entry that was probably meant.
 */
export function chooseComponent<Result, Context>(
  place: ConfigPath,
  value: ExactObject,
  registry: Readonly<Record<string, AnyComponent<Result, Context>>>,
  choice: ComponentChoice,
  names: Names,
): ChosenComponent<Result, Context> | undefined {
  const { key, besides, around } = choice;
  const named = value.get(key);
  const known = Object.keys(registry).filter((each) => registry[each]?.successor === undefined);
  const component = typeof named === 'string' && Object.hasOwn(registry, named) ? registry[named] : undefined;
  if (component === undefined) {
    place.at(key).problem(describeMismatch(oneOfNames(known), named));
    const meant = typeof named === 'string' ? intendedName(named, known) : undefined;
    const possible = (meant === undefined ? known : [meant]).flatMap((each) => registry[each] ?? []);
    return checkByGuess(place, value, possible, choice, names);
  }
  const { [key]: _, ...fields } = component.fields;
  if (component.successor !== undefined)
    place.at(key).warn('deprecated', `an old name; use "${component.successor}" instead`);
  const options = readObject(place, value, fields, { besides: [key, ...besides] });
  const all: ConfigContext | undefined =
    around === undefined
      ? undefined
      : { ...around, path: (key) => place.at(key).path, isGiven: (key) => (value.get(key) ?? null) !== null };
  const canInspect = options !== undefined && all !== undefined;
  const inspected = canInspect ? component.inspect?.(options as never, all) : undefined; // validated by the entry's own fields
  for (const { path, message } of inspected?.problems ?? []) place.elsewhere(path).problem(message);
  const roots = inspected?.roots ?? new Map();
  checkExpressionFields(place, value, fields, { ...names, roots });
  if (options === undefined) return undefined;
  return (context) => component.create(options as never, context); // validated just now by the entry's own fields
}

/**
 * Checks members by the entries that may have been meant, each by the first that has it. Required keys count only if
 * there is just one entry.
 */
function checkByGuess<Result, Context>(
  place: ConfigPath,
  value: ExactObject,
  possible: readonly AnyComponent<Result, Context>[],
  { key, besides }: ComponentChoice,
  names: Names,
): ChosenComponent<Result, Context> | undefined {
  const all = possible.flatMap(({ fields }) => Object.entries(fields)).filter(([each]) => each !== key);
  const fields: Record<string, OptionRow> = {};
  for (const [name, { required: _, ...field }] of all) {
    const given = new Map([[name, value.get(name) ?? null]]);
    const takes = (field: OptionRow) =>
      objectOf({ [name]: field }).struct.validate(given, { coerce: true })[0] === undefined;
    if (fields[name] === undefined || (!takes(fields[name]) && takes(field))) fields[name] = field;
  }
  const options = readObject(place, value, fields, { besides: [key, ...besides] });
  checkExpressionFields(place, value, fields, names);
  const [only, ...others] = possible;
  if (options === undefined || only === undefined || others.length > 0) return undefined;
  const isWhole = Object.entries(only.fields).every(([name, { required }]) => required !== true || name in options);
  return isWhole ? (context) => only.create(options as never, context) : undefined; // validated just now by the entry's own fields
}

/** Creates the entry now; a conflict between options that `create` finds is a problem of the configuration too. */
export function createNow<Result, Context>(
  place: ConfigPath,
  chosen: ChosenComponent<Result, Context> | undefined,
  context: Context,
): Result | undefined {
  try {
    return chosen?.(context);
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    place.problem(asExtractError(thrown).message);
    return undefined;
  }
}

/** Checks expressions wherever the fields declare them. */
function checkExpressionFields(place: ConfigPath, value: Exact, fields: OptionRows, names: Names): void {
  if (!isObject(value)) return;
  for (const [key, { kind }] of Object.entries(fields)) {
    const member = value.get(key);
    const { references, rows } = kind;
    if (rows !== undefined && member !== undefined) checkExpressionFields(place.at(key), member, rows, names);
    if (references === undefined || !isObject(member)) continue;
    const scope = { ...names, references };
    if (kind.struct.type !== object.struct.type) checkSole(place.at(key), member, scope, kind);
    else if (key === 'headers') checkExpressionHeaders(place.at(key), member, scope);
    else checkExpressionMap(place.at(key), member, scope);
  }
}

/** A value that is an expression itself, not a map of them. */
function checkSole(place: ConfigPath, value: ExactObject, scope: Scope, { struct }: Kind<unknown>): void {
  if (isExpression(value, scope)) checkExpression(place, value, scope);
  else place.problem(describeMismatch(struct.type, value));
}
