/** The functions of the configuration language by name: one file and one line each. */
import type { ExpressionFunction } from './function.js';
import { base64Encode } from './functions/base64-encode.js';
import { concat } from './functions/concat.js';
import { date } from './functions/date.js';
import { hash } from './functions/hash.js';
import { hashHmac } from './functions/hash-hmac.js';
import { ifempty } from './functions/ifempty.js';
import { implode } from './functions/implode.js';
import { md5 } from './functions/md5.js';
import { sha1 } from './functions/sha1.js';
import { sprintf } from './functions/sprintf.js';
import { strtotime } from './functions/strtotime.js';
import { time } from './functions/time.js';
import { urlencode } from './functions/urlencode.js';

export const functions = {
  base64_encode: base64Encode,
  concat,
  date,
  hash,
  hash_hmac: hashHmac,
  ifempty,
  implode,
  md5,
  sha1,
  sprintf,
  strtotime,
  time,
  urlencode,
} satisfies Record<string, ExpressionFunction>;

/** Finds a function by its name, which is case-sensitive. */
export function functionNamed(name: string): ExpressionFunction | undefined {
  return new Map<string, ExpressionFunction>(Object.entries(functions)).get(name);
}
