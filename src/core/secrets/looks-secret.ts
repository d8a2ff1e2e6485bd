/** Finds values that look like secrets although nothing says so: by their names, or because their text is random. */

import type { Exact } from '../json/exact.js';
import { isArray, isObject } from '../json/exact.js';
import { parseIfJson } from '../json/exact-parse.js';
import { isCredentialName } from './credential-names.js';
import { looksRandom } from './random-text.js';

/**
 * Whether the value of a parameter, a header or a member may be a credential. An empty one and a flag are none. JSON,
 * and the query of a URL, are searched for credentials in them.
 */
export function looksSecret(name: string, value: string): boolean {
  if (flag.test(value) || isLongId(name, value)) return false;
  if (isCredentialName(name, value)) return true;
  const inner = /^\s*[[{]/.test(value) ? parseIfJson(value) : undefined;
  if (inner !== undefined) return leavesOf(inner, name).some((leaf) => looksSecret(...leaf));
  const pairs = [...value.matchAll(/[?&]([^=&?\s]+)=([^&\s]+)/g)];
  return looksRandom(value) || pairs.some(([, key = '', text = '']) => isCredentialName(key, text));
}

/** One of two has nothing to hide. */
const flag = /^(?:|true|false|null|yes|no|on|off)$/i;

/** The longest numbers that are no times are ids. */
const isLongId = (name: string, value: string): boolean =>
  /^\d{1,20}(?:,\d{1,20})*$/.test(value) &&
  /(?:^|[^a-z])(?:ids?|isbn|ean|gtin|upc|since|until|after|before)$/i.test(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2'));

/** The texts and numbers of a value, each with its name; those of a list have that of the list. */
function leavesOf(value: Exact, name: string): readonly (readonly [name: string, text: string])[] {
  if (isArray(value)) return value.flatMap((each) => leavesOf(each, name));
  if (isObject(value)) return [...value].flatMap(([key, each]) => leavesOf(each, key));
  return [[name, String(value ?? '')]];
}
