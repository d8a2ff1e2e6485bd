/** References to other values: what `{"attr": "x"}` and `{"response": "x"}` read. */

import type { ErrorCode } from '../../core/errors/error-codes.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../../core/json/exact.js';
import type { FieldReference as Name } from '../../core/model/field-reference.js';
import { didYouMean } from '../../core/util/suggest.js';
import { kindOf } from './convert.js';

/** Returns the value of a key, or `undefined` if there is none. May throw a more specific error. */
export type ReferenceResolver = (key: string) => { readonly value: Exact; readonly secret: boolean } | undefined;

/** Most names that are searched for the nearest one. */
export const namesLookedAt = 1000;

/**
 * Reads a reference by its configured key. Throws ERR_FUNCTION if the key is no text or there is no value.
 * docs/01-configuration.md#expressions.
 */
export function lookUp(name: string, key: Exact, reference: ReferenceResolver) {
  if (typeof key !== 'string' && !isNumber(key)) {
    throw new ExtractError('ERR_FUNCTION', `the key of "${name}" is ${kindOf(key)}, expected a string`);
  }
  const text = String(key);
  const resolved = reference(text);
  if (resolved === undefined) throw new ExtractError('ERR_FUNCTION', `there is no ${name} "${text}"`);
  return resolved;
}

/**
 * `attr`: the keys of the `config` section except `jobs`. A key that begins with `#`, and everything below it, is
 * secret. docs/01-configuration.md#expressions.
 */
export function attrReference(config: ExactObject): ReferenceResolver {
  const attributes: ExactObject = new Map([...config].filter(([name]) => name !== 'jobs'));
  return (key) => ({
    value: leafAt(attributes, key, 'ERR_FUNCTION', 'attr'),
    secret: key.split('.').some((segment) => segment.startsWith('#')),
  });
}

/**
 * Other references: the leaves below `root`. `isSecret`: whether the value of a key is secret. Throws ERR_FUNCTION
 * with the nearest path. docs/01-configuration.md#expressions.
 */
export function leafReference(root: ExactObject, name: Name, isSecret: (key: string) => boolean): ReferenceResolver {
  return (key) => ({ value: leafAt(root, key, 'ERR_FUNCTION', name), secret: isSecret(key) });
}

/**
 * `response`: the leaves of a login response, all of them secret. Throws ERR_LOGIN with the nearest path.
 * docs/02-login.md#what-goes-into-later-requests.
 */
export function responseReference(reply: ExactObject): ReferenceResolver {
  return (path) => ({ value: leafAt(reply, path, 'ERR_LOGIN', 'value in the login response at'), secret: true });
}

/** Whether a reference can use the value: it exists and is neither null, an object nor a list. */
export function isLeaf(value: Exact | undefined): value is Exact {
  return value !== undefined && value !== null && !isArray(value) && !isObject(value);
}

/** Follows a dotted key through objects and lists. A member whose own name has dots comes before nested ones. */
export function flatAt(value: Exact, key: string): Exact | undefined {
  const direct = memberOf(value, key);
  if (direct !== undefined) return direct;
  for (let dot = key.lastIndexOf('.'); dot >= 0; dot = key.lastIndexOf('.', dot - 1)) {
    const member = memberOf(value, key.slice(0, dot));
    const found = member === undefined ? undefined : flatAt(member, key.slice(dot + 1));
    if (found !== undefined) return found;
    if (dot === 0) break;
  }
  return undefined;
}

function leafAt(root: ExactObject, key: string, code: ErrorCode, what: string): Exact {
  const value = flatAt(root, key);
  if (isLeaf(value)) return value;
  if (value !== undefined)
    throw new ExtractError(code, `the ${what} "${key}" is ${kindOf(value)}, expected a single value`);
  throw new ExtractError(code, `there is no ${what} "${key}"${didYouMean(key, leafPaths(root, namesLookedAt))}`);
}

function memberOf(value: Exact, name: string): Exact | undefined {
  if (isObject(value)) return value.get(name);
  return isArray(value) && /^\d+$/.test(name) ? value[Number(name)] : undefined;
}

/** Returns the dotted paths of the first `most` leaves that are not null, in order. */
export function leafPaths(root: Exact, most = Number.POSITIVE_INFINITY): readonly string[] {
  const paths: string[] = [];
  const visit = (value: Exact, path: readonly string[]) => {
    if (paths.length >= most) return;
    if (isObject(value)) for (const [name, member] of value) visit(member, [...path, name]);
    else if (isArray(value)) for (const [index, element] of value.entries()) visit(element, [...path, String(index)]);
    else if (value !== null) paths.push(path.join('.'));
  };
  visit(root, []);
  return paths;
}
