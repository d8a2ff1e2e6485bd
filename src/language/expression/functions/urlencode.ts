/** urlencode: encodes a text for a URL. */

import { toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/**
 * Letters, digits, `-`, `_` and `.` stay; a space becomes `+`. Parameters are encoded anyway: only placeholders need
 * it. docs/reference/functions.md.
 */
export const urlencode: ExpressionFunction = {
  summary: 'a string encoded for a URL: `%XX` for special characters, `+` for a space',
  args: [{ name: 'text', summary: 'the string to encode, as UTF-8' }],
  example: '{"function": "urlencode", "args": ["Ada & Co/1"]}',
  gives: 'Ada+%26+Co%2F1',
  only: 'placeholders',

  apply([text = null]) {
    const plain = encodeURIComponent(Buffer.from(toText(text)).toString()).replaceAll('%20', '+');
    return plain.replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  },
};
