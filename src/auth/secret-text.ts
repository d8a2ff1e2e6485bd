/** Evaluates an expression that gives one secret, and keeps it from being shown. */
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import { kindOf, textOf } from '../language/expression/convert.js';
import { type ExpressionContext, evaluateMap, headersFrom } from '../language/expression/expression.js';
import { attrReference } from '../language/expression/reference.js';
import type { AuthContext } from './needs.js';

const place = 'api.authentication';

/** `key` is where it stands in `api.authentication`. Throws ERR_FUNCTION where it gives no text, or an empty one. */
export function secretText(expression: Exact, key: string, { attr, secrets }: AuthContext): string {
  return secretIn(expression, key, { references: new Map([['attr', attrReference(attr)]]), secrets });
}

/** The same, with references of its own. */
export function secretIn(expression: Exact, key: string, context: ExpressionContext): string {
  const text = filledText(expression, key, context);
  context.secrets.add(text);
  return text;
}

/** The same, of what need not be a secret. */
export function filledText(expression: Exact, key: string, context: ExpressionContext): string {
  const value = evaluateMap(new Map([[key, expression]]), context, place).get(key) ?? null;
  const text = isArray(value) || isObject(value) ? '' : textOf(value);
  if (text === '') {
    const found = value === '' ? 'an empty string' : kindOf(value);
    const path = `${place}.${key}`;
    throw new ExtractError('ERR_FUNCTION', `${path}: expected a non-empty string, the expression gives ${found}`, {
      path,
    });
  }
  return text;
}

/** The text as a header takes it, white space around it gone. Throws ERR_FUNCTION where no header can hold it. */
export function headerLine(text: string, key: string): string {
  const [line = ''] = headersFrom(new Map([[key, text]]), place).get(key) ?? [];
  return line;
}
