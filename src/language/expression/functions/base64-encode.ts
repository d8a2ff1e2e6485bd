/** base64_encode: encodes a text as base64, for example for an `Authorization: Basic` header. */

import { toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/** Standard base64 with padding, of the text's UTF-8 bytes. docs/01-configuration.md#expressions. */
export const base64Encode: ExpressionFunction = {
  summary: 'a string as base64, with padding',
  args: [{ name: 'text', summary: 'the string to encode, as UTF-8' }],
  example: '{"function": "base64_encode", "args": ["JohnDoe:TopSecret"]}',
  gives: 'Sm9obkRvZTpUb3BTZWNyZXQ=',
  apply: ([text = null]) => Buffer.from(toText(text)).toString('base64'),
};
