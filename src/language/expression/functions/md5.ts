/** md5: the MD5 digest of a text. */
import { createHash } from 'node:crypto';
import { toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/** Thirty-two hexadecimal digits in lower case, of the text's UTF-8 bytes. docs/reference/functions.md. */
export const md5: ExpressionFunction = {
  summary: 'the MD5 digest of a string, in hexadecimal digits',
  args: [{ name: 'text', summary: 'the string to digest, as UTF-8' }],
  example: '{"function": "md5", "args": ["abc"]}',
  gives: '900150983cd24fb0d6963f7d28e17f72',
  apply: ([text = null]) => createHash('md5').update(toText(text)).digest('hex'),
};
