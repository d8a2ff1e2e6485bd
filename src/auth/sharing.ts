/** Decides which logins can be shared: what the credentials depend on besides the request. */
import type { Problem } from '../core/errors/errors.js';
import { type Exact, type ExactArray, type ExactObject, isArray, isObject } from '../core/json/exact.js';
import type { OptionRows } from '../core/options/kind.js';
import { flatAt } from '../language/expression/reference.js';
import { boolean } from '../language/kinds.js';

export const sharingFields = {
  shared: {
    kind: boolean,
    default: false,
    emptyIsAbsent: true,
    mayChangeOnResume: true,
    summary: 'whether iterations whose login requests are identical share one login',
  },
} satisfies OptionRows;

/** Rejects `shared` with `expires: 0`, where each request has its own login; `path` is that of `shared`. */
export function sharingProblems(shared: boolean, expires: unknown, path: string): readonly Problem[] {
  if (!shared || expires !== 0) return [];
  const message = 'cannot be true with `expires` 0, where each request has its own login; remove one of them';
  return [{ path, message }];
}

/** What `apiRequest` makes of a response depends on its text, and on the attributes it refers to. */
export function dependencies(
  { headers, query }: { readonly headers: ExactObject; readonly query: ExactObject },
  attr: ExactObject,
): ExactArray {
  const maps: ExactArray = [headers, query];
  return [...maps, ...attributesIn(maps).map((key) => flatAt(attr, key) ?? null)];
}

/** The attributes that expressions in a value refer to, in order. */
function attributesIn(value: Exact): readonly string[] {
  if (isArray(value)) return value.flatMap(attributesIn);
  if (!isObject(value)) return [];
  const key = value.get('attr');
  return value.size === 1 && typeof key === 'string' ? [key] : [...value.values()].flatMap(attributesIn);
}
