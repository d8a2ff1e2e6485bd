/** sha1: the SHA-1 digest of a text. */
import { createHash } from 'node:crypto';
import { toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/** Forty hexadecimal digits in lower case, of the text's UTF-8 bytes. docs/01-configuration.md#expressions. */
export const sha1: ExpressionFunction = {
  summary: 'the SHA-1 digest of a string, in hexadecimal digits',
  args: [{ name: 'text', summary: 'the string to digest, as UTF-8' }],
  example: '{"function": "sha1", "args": ["abc"]}',
  gives: 'a9993e364706816aba3e25717850c26c9cd0d89d',
  apply: ([text = null]) => createHash('sha1').update(toText(text)).digest('hex'),
};
