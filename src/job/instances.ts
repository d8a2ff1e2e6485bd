/**
 * The instances of a child job for one parent row: each list of values multiplies them.
 * docs/04-child-jobs.md#placeholders.
 */

import { levelFault, type Placeholder } from '../config/children/placeholders.js';
import type { Row } from '../config/children/row.js';
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import { mostValueBytes } from '../core/util/limits.js';
import { remember } from '../core/util/remember.js';
import { kindOf, toText } from '../language/expression/convert.js';
import { type ExpressionContext, evaluate } from '../language/expression/expression.js';
import { isLeaf, type ReferenceResolver } from '../language/expression/reference.js';

/** The value of a placeholder in one instance. */
export interface Binding {
  /** The path of the value in its row, which names the column; absent: it makes none. */
  readonly path?: string;
  /** Of `each` and `windows`: a parameter of its own job, unless the endpoint has a place for it. */
  readonly partition?: 'own' | 'above';
  readonly value: Exact;
  /** The text that goes into the endpoint. */
  readonly text: string;
}

/** By placeholder name, inherited ones first. */
export type PlaceholderBindings = ReadonlyMap<string, Binding>;

/** The bindings of a top-level job. */
export const noBindings: PlaceholderBindings = new Map();

/**
 * Yields the instances in order, lazily; looks up all values before the first. `ancestors` are the parent rows, the
 * direct parent first. A child's own placeholder replaces an inherited one with the same name. The first name varies
 * slowest. An empty list, or no placeholder at all, gives no instance. Throws ERR_PLACEHOLDER.
 */
export function instancesOf(
  placeholders: readonly Placeholder[],
  ancestors: readonly Row[],
  inherited: PlaceholderBindings,
  context: Omit<ExpressionContext, 'references'>,
): Iterable<PlaceholderBindings> {
  const choices = new Map<string, readonly Binding[]>([...inherited].map(([name, filled]) => [name, [above(filled)]]));
  for (const placeholder of placeholders) {
    choices.set(placeholder.name, choicesOf(placeholder, ancestors, context));
  }
  return choices.size === 0 ? [] : combinations([...choices]);
}

/** A parameter of the parent is none of its children. */
export const above = (binding: Binding): Binding =>
  binding.partition === undefined ? binding : { ...binding, partition: 'above' };

/** Yields each combination of choices, lazily; the last name varies fastest. */
export function* combinations(
  [first, ...rest]: readonly (readonly [name: string, choices: readonly Binding[]])[],
  chosen: PlaceholderBindings = noBindings,
): Iterable<PlaceholderBindings> {
  if (first === undefined) {
    yield chosen;
    return;
  }
  const [name, choices] = first;
  for (const choice of choices) yield* combinations(rest, new Map([...chosen, [name, choice]]));
}

/** One choice for a single value, one per element of a list. */
function choicesOf(
  placeholder: Placeholder,
  ancestors: readonly Row[],
  context: Omit<ExpressionContext, 'references'>,
): readonly Binding[] {
  const value = made(placeholder, found(placeholder, ancestors), context);
  return (isArray(value) ? value : [value]).map((each) => {
    if (!isArray(each) && !isObject(each)) {
      const text = bounded(placeholder, toText(each));
      const { path, isPartition, isImplied } = placeholder;
      if (isPartition === true) return { value: each, text, partition: 'own' };
      return isImplied === true ? { value: each, text } : { value: each, text, path };
    }
    const what = isArray(value) ? `a list that contains ${kindOf(each)}` : kindOf(each);
    throw fault(placeholder, `expected a single value or a list of them at "${placeholder.path}", found ${what}`);
  });
}

/** Applies the size limit for values of a response that go into a request. */
function bounded(placeholder: Placeholder, text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostValueBytes) return text;
  throw fault(placeholder, `the value has ${bytes} bytes; a URL can contain at most ${mostValueBytes}`);
}

function found(placeholder: Placeholder, ancestors: readonly Row[]): Exact {
  const { level, path } = placeholder;
  const row = ancestors[level - 1];
  if (row === undefined) throw fault(placeholder, levelFault(level, ancestors.length));
  const value = row.at(path);
  if (value !== undefined) return value;
  const near = row.nearest(path);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  throw fault(placeholder, `the item of the parent job has no value at "${path}"${hint}`);
}

function made(placeholder: Placeholder, value: Exact, context: Omit<ExpressionContext, 'references'>): Exact {
  if (placeholder.expression === undefined) return value;
  try {
    const here = { ...context, references: referencesTo(value), place: 'placeholders' as const };
    return evaluate(placeholder.expression, here).value;
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    throw fault(placeholder, thrown.message);
  }
}

/** Resolves `{"placeholder": "value"}` only. */
function referencesTo(value: Exact): ReadonlyMap<string, ReferenceResolver> {
  const reference: ReferenceResolver = (key) => {
    if (key !== 'value') return undefined;
    if (isLeaf(value)) return { value, secret: false };
    throw new ExtractError(
      'ERR_PLACEHOLDER',
      `the value is ${kindOf(value)}, expected a single value that is not null`,
    );
  };
  return new Map([['placeholder', reference]]);
}

const fault = ({ name, level }: Placeholder, message: string): ExtractError =>
  new ExtractError('ERR_PLACEHOLDER', `placeholder "${name}" (level ${level}): ${message}`);

/**
 * Replaces the placeholders of an endpoint in one pass; does not expand braces inside the values. Keeps other braces.
 */
export function fillEndpoint(endpoint: string, instance: PlaceholderBindings): string {
  if (instance.size === 0) return endpoint;
  const places = placesOf(JSON.stringify([...instance.keys()]));
  return endpoint.replace(places, (hit) => instance.get(hit.slice(1, -1))?.text ?? hit);
}

/** The places of these names, a list as JSON: all rows of a page have the same ones. */
const placesOf = remember((names: string): RegExp => {
  const escaped = (JSON.parse(names) as readonly string[]).map((name) => name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  return new RegExp(escaped.map((name) => `\\{${name}\\}`).join('|'), 'g');
});
