/** implode: joins the elements of a list. */
import { ExtractError } from '../../../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../../../core/json/exact.js';
import { kindOf, toText } from '../convert.js';
import type { ExpressionFunction } from '../function.js';

/**
 * Puts the glue between the elements; an empty list gives an empty text. Throws ERR_FUNCTION for nested lists.
 * docs/reference/functions.md.
 */
export const implode: ExpressionFunction = {
  summary: 'the elements of a list as one string, with a separator',
  args: [
    { name: 'glue', summary: 'the separator between two elements' },
    { name: 'list', summary: 'strings, or expressions; an object counts as the list of its values' },
  ],
  example: '{"function": "implode", "args": [",", ["id", "name", "email"]]}',
  gives: 'id,name,email',
  apply: ([glue = null, list = null]) => elementsOf(list).map(toText).join(toText(glue)),
};

function elementsOf(list: Exact): readonly Exact[] {
  if (isArray(list)) return list;
  if (isObject(list)) return [...list.values()];
  throw new ExtractError('ERR_FUNCTION', `expected a list, found ${kindOf(list)}`);
}
