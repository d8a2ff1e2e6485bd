/**
 * Finds expressions that could only fail, before any request: unknown functions and references to nothing.
 * docs/01-configuration.md#expressions.
 */
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import { describeKind } from '../core/options/read-options.js';
import { didYouMean, nearest } from '../core/util/suggest.js';
import type { ConfigPath } from './config-path.js';
import { type Argument, expectedArguments, type FunctionPlace } from './expression/function.js';
import { flatAt, isLeaf, leafPaths } from './expression/reference.js';
import { describeMismatch, oneOfNames, warnUnknown } from './read.js';

/** What expressions can name. */
export interface Names {
  readonly functions: Readonly<Record<string, AnyFunction>>;
  /** `config` without its jobs. */
  readonly attr: ExactObject;
  /** The values of other references, if they are known. */
  readonly roots?: ReadonlyMap<FieldReference, ExactObject>;
}

/** A function, as far as checks need it. */
export interface AnyFunction {
  readonly args: readonly Argument[];
  readonly only?: FunctionPlace;
}

/** What is allowed at one place of the configuration. */
export interface Scope extends Names {
  readonly references: readonly FieldReference[];
  /** The place, if it has functions of its own. */
  readonly place?: FunctionPlace;
  /**
   * Whether to warn of empty attributes. `warn`: if it is used as a secret, and in every header that may identify the
   * sender. `allow`: empty ones are expected.
   */
  readonly empty?: 'warn' | 'allow';
}

/**
 * Checks a map of expressions. A list that is a direct member is sent unchanged, so an expression in it is a warning.
 */
export function checkExpressionMap(place: ConfigPath, map: ExactObject, scope: Scope): void {
  for (const [key, value] of map) {
    if (isArray(value)) warnUnevaluated(place.at(key), value, scope);
    else checkExpression(place.at(key), value, scope);
  }
}

/** Checks an expression and its parts. */
export function checkExpression(place: ConfigPath, value: Exact, scope: Scope): void {
  if (isArray(value)) {
    for (const [index, each] of value.entries()) checkExpression(place.at(index), each, scope);
  } else if (isObject(value)) {
    const [[key, member] = []] = value;
    if (value.has('function')) checkCall(place, value, scope);
    else if (value.size === 1 && key !== undefined && member !== undefined) checkLone(place, key, member, scope);
    else {
      warnMisspelt(place, value, scope);
      for (const [name, each] of value) checkExpression(place.at(name), each, scope);
    }
  }
}

/** Whether the object evaluates to one value; any other object stays an object. */
export function isExpression(value: ExactObject, { references }: Scope): boolean {
  const [key = ''] = value.keys();
  return value.has('function') || (value.size === 1 && references.some((each) => each === key));
}

function checkCall(place: ConfigPath, call: ExactObject, scope: Scope): void {
  checkFunction(place, call, scope);
  const args = call.get('args') ?? [];
  const within: Scope = call.get('function') === 'ifempty' ? { ...scope, empty: 'allow' } : scope;
  if (isArray(args)) checkExpression(place.at('args'), args, within);
  else if (isObject(args)) for (const [key, each] of args) checkExpression(place.at('args', key), each, within);
  else place.at('args').problem(describeMismatch('a list of arguments', args));

  for (const key of call.keys()) {
    if (key !== 'function' && key !== 'args') warnUnknown(place.at(key), key, ['function', 'args']);
  }
}

function checkFunction(place: ConfigPath, call: ExactObject, scope: Scope): void {
  const name = call.get('function');
  const definition = typeof name === 'string' ? functionNamed(name, scope) : undefined;
  if (typeof name !== 'string') place.at('function').problem(describeMismatch('the name of a function', name));
  else if (definition === undefined) place.at('function').problem(notCallable(name, scope));
  else checkCount(place.at('args'), definition, call.get('args') ?? []);
}

function functionNamed(name: string, { functions, place }: Scope): AnyFunction | undefined {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  return found?.only === undefined || found.only === place ? found : undefined;
}

function notCallable(name: string, scope: Scope): string {
  const elsewhere = Object.hasOwn(scope.functions, name) ? scope.functions[name]?.only : undefined;
  if (elsewhere !== undefined) return `this function can only be called in \`${elsewhere}\``;
  const names = Object.keys(scope.functions).filter((each) => functionNamed(each, scope) !== undefined);
  return `unknown function, expected ${oneOfNames(names)}${didYouMean(name, names)}`;
}

function checkCount(place: ConfigPath, { args }: AnyFunction, given: Exact): void {
  if (!isArray(given) && !isObject(given)) return;
  const found = isArray(given) ? given.length : given.size;
  const expected = expectedArguments(args, found);
  if (expected !== undefined) place.problem(`expected ${expected}, found ${found}`);
}

/** An object with one member is a reference if its key is allowed here. */
function checkLone(place: ConfigPath, key: string, member: Exact, scope: Scope): void {
  const at = place.at(key);
  const named = scope.references.find((each) => each === key);
  const root = named === undefined ? undefined : scope.roots?.get(named);
  if (named === 'attr') checkAttr(at, member, scope);
  else if (named !== undefined && root !== undefined) checkKey(at, member, named, root);
  else if (named !== undefined) checkText(at, member, 'a path');
  else {
    if (key === 'response') at.warn('not-a-reference', 'only `apiRequest` can refer to a response; sent unchanged');
    else warnMisspelt(place, new Map([[key, member]]), scope);
    checkExpression(at, member, scope);
  }
}

function checkAttr(place: ConfigPath, member: Exact, { attr, empty }: Scope): void {
  if (!checkText(place, member, 'a key of `config`')) return;
  const key = String(member);
  const value = flatAt(attr, key);
  if (value === undefined) place.problem(`there is no such key in \`config\`${didYouMean(key, leafPaths(attr))}`);
  else if (!isLeaf(value))
    place.problem(`expected a key of \`config\` with a single value, found ${describeKind(value)}`);
  const warns = empty === 'warn' || (empty === undefined && /(^|\.)#/.test(key));
  if (value === '' && warns) place.warn('empty-secret', 'refers to an empty string, which is sent');
}

/** Checks a reference into values that are known before any request. */
function checkKey(place: ConfigPath, member: Exact, name: FieldReference, root: ExactObject): void {
  if (!checkText(place, member, 'a path')) return;
  const key = String(member);
  const value = flatAt(root, key);
  const paths = leafPaths(root);
  const known = paths.length > 0 && paths.length < 10 ? `, expected ${oneOfNames(paths)}` : '';
  if (value === undefined) place.problem(`there is no such ${name}${known}${didYouMean(key, paths)}`);
  else if (!isLeaf(value)) place.problem(`expected the path of a single value, found ${describeKind(value)}`);
}

function checkText(place: ConfigPath, value: Exact, expected: string): boolean {
  if (typeof value === 'string' || isNumber(value)) return true;
  place.problem(describeMismatch(expected, value));
  return false;
}

/** Warns of a misspelt reference, and of a misspelt `function` that has `args` or names a function. */
export function warnMisspelt(place: ConfigPath, value: ExactObject, scope: Scope): void {
  const slips = [...value].filter(
    ([key, member]) => typeof member === 'string' && nearest(key, ['function']) !== undefined,
  );
  const call = slips.find(([, member]) => value.has('args') || (value.size === 1 && isFunction(member, scope)));
  const [[key, member] = []] = value;
  if (call !== undefined) {
    place.at(call[0]).warn('not-evaluated', 'not a function call, sent unchanged; did you mean "function"?');
  } else if (value.size === 1 && key !== undefined && typeof member === 'string') {
    const near = nearest(key, scope.references);
    if (near === undefined) return;
    place.at(key).warn('not-a-reference', `not a reference, sent unchanged; did you mean "${near}"?`);
  }
}

/** Warns of expressions in a value that is not evaluated. */
export function warnUnevaluated(place: ConfigPath, value: Exact, scope: Scope): void {
  if (isArray(value)) for (const [index, each] of value.entries()) warnUnevaluated(place.at(index), each, scope);
  if (!isObject(value)) return;
  if (looksEvaluated(value, scope)) {
    place.warn('not-evaluated', 'expressions are not evaluated here; sent unchanged');
  } else for (const [name, each] of value) warnUnevaluated(place.at(name), each, scope);
}

/** Whether the object is a call or a reference. An object with other members may well be data. */
export function looksEvaluated(value: ExactObject, scope: Scope): boolean {
  const [[key, member] = []] = value;
  if (value.has('function')) return isFunction(value.get('function'), scope) && (value.size === 1 || value.has('args'));
  return value.size === 1 && typeof member === 'string' && scope.references.some((each) => each === key);
}

export const isFunction = (name: Exact | undefined, { functions }: Scope): boolean =>
  typeof name === 'string' && Object.hasOwn(functions, name);
