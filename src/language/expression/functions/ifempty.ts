/** ifempty: returns a value, or a second one if the first is empty. */
import { isPhpEmpty } from '../../../core/json/exact.js';
import type { ExpressionFunction } from '../function.js';

/**
 * Both are evaluated: a reference to nothing fails as usual. docs/reference/functions.md,
 * docs/01-configuration.md#expressions.
 */
export const ifempty: ExpressionFunction = {
  summary: 'a value, or another one where it is empty',
  args: [
    { name: 'value', summary: 'what is taken unless it is `""`, `"0"`, 0, false, null, or an empty list or object' },
    { name: 'otherwise', summary: 'what is taken then' },
  ],
  example: '{"function": "ifempty", "args": ["", "all"]}',
  gives: 'all',
  apply: ([value = null, otherwise = null]) => (isPhpEmpty(value) ? otherwise : value),
};
