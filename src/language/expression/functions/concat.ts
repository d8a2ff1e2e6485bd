/** concat: joins texts. */

import { toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/**
 * Joins its arguments without a separator; without arguments the result is empty. docs/01-configuration.md#expressions.
 */
export const concat: ExpressionFunction = {
  summary: 'its arguments, joined',
  args: [{ name: 'values', summary: 'strings; true becomes "1", false and null become empty', variadic: true }],
  example: '{"function": "concat", "args": ["id-", 12]}',
  gives: 'id-12',
  apply: (values) => values.map(toText).join(''),
};
