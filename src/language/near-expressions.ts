/** What is nearly an expression, or is one where none is evaluated: it goes out as it stands, which is seldom meant. requests.md 4. */
import { type Exact, type ExactObject, isArray, isObject } from '../core/json/exact.js';
import { nearest } from '../core/util/suggest.js';
import type { Scope } from './check-expressions.js';
import type { Place } from './place.js';

/** Warns of a misspelt reference, and of a misspelt `function` beside `args` or with the name of one. */
export function warnMisspelt(place: Place, value: ExactObject, scope: Scope): void {
  const slips = [...value].filter(
    ([key, member]) => typeof member === 'string' && nearest(key, ['function']) !== undefined,
  );
  const call = slips.find(([, member]) => value.has('args') || (value.size === 1 && isFunction(member, scope)));
  const [[key, member] = []] = value;
  if (call !== undefined) {
    place.at(call[0]).warn('not-evaluated', 'calls no function, sent as it stands; did you mean "function"?');
  } else if (value.size === 1 && key !== undefined && typeof member === 'string') {
    const near = nearest(key, scope.references);
    if (near === undefined) return;
    place.at(key).warn('not-a-reference', `refers to nothing, sent as it stands; did you mean "${near}"?`);
  }
}

/** Warns of the expressions in a value that is not evaluated. */
export function warnUnevaluated(place: Place, value: Exact, scope: Scope): void {
  if (isArray(value)) for (const [index, each] of value.entries()) warnUnevaluated(place.at(index), each, scope);
  if (!isObject(value)) return;
  if (looksEvaluated(value, scope)) {
    place.warn('not-evaluated', 'expressions are not evaluated here; sent as it stands');
  } else for (const [name, each] of value) warnUnevaluated(place.at(name), each, scope);
}

/** A call, or a lone reference; whatever else has a member of such a name may well be data. */
function looksEvaluated(value: ExactObject, scope: Scope): boolean {
  const [[key, member] = []] = value;
  if (value.has('function')) return isFunction(value.get('function'), scope) && (value.size === 1 || value.has('args'));
  return value.size === 1 && typeof member === 'string' && scope.references.some((each) => each === key);
}

const isFunction = (name: Exact | undefined, { functions }: Scope): boolean =>
  typeof name === 'string' && Object.hasOwn(functions, name);
