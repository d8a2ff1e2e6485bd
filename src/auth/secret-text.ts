/** Evaluates expressions of secrets and masks the results. */
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import { kindOf, toText } from '../language/expression/convert.js';
import { type ExpressionContext, evaluateMap, headersFrom } from '../language/expression/expression.js';
import { attrReference } from '../language/expression/reference.js';
import type { AuthContext } from './types.js';

const place = 'api.authentication';

/** `key` is its key in `api.authentication`. Throws ERR_FUNCTION if the result is no text, or empty. */
export function secretText(expression: Exact, key: string, { attr, secrets }: AuthContext): string {
  return secretIn(expression, key, { references: new Map([['attr', attrReference(attr)]]), secrets });
}

/** The same, with references of its own. */
export function secretIn(expression: Exact, key: string, context: ExpressionContext): string {
  const text = nonEmptyText(expression, key, context);
  context.secrets.add(text);
  return text;
}

/** The same, for a text that may be public. */
export function nonEmptyText(expression: Exact, key: string, context: ExpressionContext): string {
  const value = evaluateMap(new Map([[key, expression]]), context, place).get(key) ?? null;
  const text = isArray(value) || isObject(value) ? '' : toText(value);
  if (text === '') {
    const found = value === '' ? 'an empty string' : kindOf(value);
    const path = `${place}.${key}`;
    throw new ExtractError('ERR_FUNCTION', `${path}: expected a non-empty string, the expression gives ${found}`, {
      path,
    });
  }
  return text;
}

/**
 * Returns the text as a header value, without surrounding white space. Throws ERR_FUNCTION if it is not valid in a
 * header.
 */
export function headerLine(text: string, key: string): string {
  const [line = ''] = headersFrom(new Map([[key, text]]), place).get(key) ?? [];
  return line;
}
