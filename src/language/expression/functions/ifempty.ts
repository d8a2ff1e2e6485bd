/** ifempty: returns a value, or a second one if the first is empty. */
import { isPhpEmpty } from '../../../core/json/exact.js';
import type { ExpressionFunction } from '../function.js';

/**
 * Both are evaluated: a reference to nothing fails as usual. docs/reference/functions.md,
 * docs/01-configuration.md#expressions.
 */
export const ifempty: ExpressionFunction = {
  summary: 'a value, or another value if it is empty',
  args: [
    {
      name: 'value',
      summary: 'the result, unless it is `""`, `"0"`, 0, false, null, an empty list or an empty object',
    },
    { name: 'otherwise', summary: 'the result in that case' },
  ],
  example: '{"function": "ifempty", "args": ["", "all"]}',
  gives: 'all',
  apply: ([value = null, otherwise = null]) => (isPhpEmpty(value) ? otherwise : value),
};
