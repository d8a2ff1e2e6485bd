/** References to other values: what `{"attr": "x"}` and `{"response": "x"}` read. */

import type { ErrorCode } from '../../core/errors/error-codes.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../../core/json/exact.js';
import { didYouMean } from '../../core/util/suggest.js';
import type { FieldReference as Name } from '../types.js';
import { kindOf } from './text.js';

/** Finds the value of a key; `undefined` where there is none. May throw an error of its own that says more. */
export type ReferenceResolver = (key: string) => { readonly value: Exact; readonly secret: boolean } | undefined;

/** How many names are looked through for the nearest one. */
export const namesLookedAt = 1000;

/**
 * Reads a reference by its key as it is configured. Throws ERR_FUNCTION where the key is no text or there is no value.
 * docs/01-configuration.md#expressions.
 */
export function lookUp(name: string, key: Exact, reference: ReferenceResolver) {
  if (typeof key !== 'string' && !isNumber(key)) {
    throw new ExtractError('ERR_FUNCTION', `the key of "${name}" is ${kindOf(key)}, expected a text`);
  }
  const text = String(key);
  const found = reference(text);
  if (found === undefined) throw new ExtractError('ERR_FUNCTION', `there is no ${name} "${text}"`);
  return found;
}

/**
 * `attr`: the keys of the `config` section but `jobs`. A key that begins with `#`, and all below it, is secret.
 * docs/01-configuration.md#expressions.
 */
export function attrReference(config: ExactObject): ReferenceResolver {
  const attributes: ExactObject = new Map([...config].filter(([name]) => name !== 'jobs'));
  return (key) => ({
    value: leafAt(attributes, key, 'ERR_FUNCTION', 'attr'),
    secret: key.split('.').some((segment) => segment.startsWith('#')),
  });
}

/**
 * Any other reference: the leaves below `root`. `isSecret` says of a key whether its value must not show. Throws
 * ERR_FUNCTION with the nearest path. docs/01-configuration.md#expressions.
 */
export function leafReference(root: ExactObject, name: Name, isSecret: (key: string) => boolean): ReferenceResolver {
  return (key) => ({ value: leafAt(root, key, 'ERR_FUNCTION', name), secret: isSecret(key) });
}

/**
 * `response`: the leaves of the reply to a login, all of them secret. Throws ERR_LOGIN with the nearest path.
 * docs/03-login.md#what-goes-into-later-requests.
 */
export function responseReference(reply: ExactObject): ReferenceResolver {
  return (path) => ({ value: leafAt(reply, path, 'ERR_LOGIN', 'value in the login reply at'), secret: true });
}

/** Whether there is a value to refer to: neither absent nor null, an object or a list. */
export function isLeaf(value: Exact | undefined): value is Exact {
  return value !== undefined && value !== null && !isArray(value) && !isObject(value);
}

/**
 * Follows a dotted key through objects and lists. A member whose own name has dots is found too, before any nested one.
 */
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

/** The dotted paths of the leaves, in order, as many as asked for. */
export function leafPaths(root: Exact, most: number): readonly string[] {
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
