/** The functions of the configuration language by name: one file and one line each. */
import type { ExpressionFunction } from './function.js';
import { base64Encode } from './functions/base64-encode.js';
import { concat } from './functions/concat.js';
import { sha1 } from './functions/sha1.js';

export const functions = {
  base64_encode: base64Encode,
  concat,
  sha1,
} satisfies Record<string, ExpressionFunction>;

/** Functions that the language has and this version has not: refused by name. requests.md 4.2, decision 28. */
export const functionsToCome: readonly string[] = [
  'date',
  'hash',
  'hash_hmac',
  'ifempty',
  'implode',
  'md5',
  'sprintf',
  'strtotime',
  'time',
  'urlencode',
];

/** Finds a function by its name, which is case-sensitive. */
export function functionNamed(name: string): ExpressionFunction | undefined {
  return new Map<string, ExpressionFunction>(Object.entries(functions)).get(name);
}
