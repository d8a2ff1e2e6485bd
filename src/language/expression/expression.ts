/** Evaluates expressions: values, function calls and references. Tracks which values are secret. */

import { mapCollecting } from '../../core/errors/collect-errors.js';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../../core/json/exact.js';
import type { Secrets } from '../../core/model/secrets.js';
import { callFunction } from './call.js';
import { toText } from './convert.js';
import type { Call, FunctionPlace } from './function.js';
import { lookUp, type ReferenceResolver } from './reference.js';

export { headersFrom } from './evaluated-headers.js';

/** What expressions can refer to at one place of the configuration. */
export interface ExpressionContext {
  readonly references: ReadonlyMap<string, ReferenceResolver>;
  /** Gets every secret value, intermediate ones too. */
  readonly secrets: Pick<Secrets, 'add' | 'isSecret'>;
  /** For functions of time. */
  readonly now?: Call['now'];
  /** The place, if it has functions of its own. */
  readonly place?: FunctionPlace;
}

/** A value, and whether a secret is part of it. */
export interface EvaluatedValue {
  readonly value: Exact;
  readonly secret: boolean;
}

/**
 * Evaluates one expression. Throws ERR_FUNCTION for an unknown function, wrong arguments or a reference to nothing, and
 * any error of a reference. docs/01-configuration.md#expressions.
 */
export function evaluate(expression: Exact, context: ExpressionContext): EvaluatedValue {
  const result = resultOf(expression, context);
  if (result.secret) remember(result.value, context.secrets);
  return result;
}

/**
 * Evaluates the members of a map such as `params`. A list that is a direct member is not evaluated, as in Generic
 * Extractor. `place` is the map's path in the configuration, for messages. Throws as `evaluate`, with the problems of
 * all members.
 */
export function evaluateMap(map: ExactObject, context: ExpressionContext, place?: string): ExactObject {
  const members = mapCollecting(map, ([name, member]) => {
    if (isArray(member)) return [name, member] as const;
    return [name, withPath(place, name, () => evaluate(member, context).value)] as const;
  });
  return new Map(members);
}

function resultOf(expression: Exact, context: ExpressionContext): EvaluatedValue {
  if (isArray(expression)) return gather(expression, context);
  if (!isObject(expression)) return { value: expression, secret: isKnown(expression, context) };
  if (expression.has('function')) {
    return callFunction(expression, (args) => gather(args, context), context);
  }

  const [only, ...others] = expression;
  const reference = only === undefined || others.length > 0 ? undefined : context.references.get(only[0]);
  if (only !== undefined && reference !== undefined) {
    const { value, secret } = lookUp(only[0], only[1], reference);
    return { value, secret: secret || isKnown(value, context) };
  }

  const { value, secret } = gather([...expression.values()], context);
  return { value: new Map([...expression.keys()].map((name, index) => [name, value[index] ?? null])), secret };
}

/** Shorter values are not recognised as secrets by their text: they may occur by chance. */
const leastKnown = 4;

/** A value from the environment is a secret wherever it is used. */
function isKnown(value: Exact, { secrets }: ExpressionContext): boolean {
  const text = typeof value === 'string' || isNumber(value) ? String(value) : '';
  return text.length >= leastKnown && secrets.isSecret(text);
}

function gather(list: readonly Exact[], context: ExpressionContext) {
  const results = list.map((each) => evaluate(each, context));
  return { value: results.map(({ value }) => value), secret: results.some(({ secret }) => secret) };
}

/** Members of lists and objects were added one by one. */
function remember(value: Exact, secrets: Pick<Secrets, 'add'>): void {
  if (isArray(value) || isObject(value)) return;
  const text = toText(value);
  if (text !== '') secrets.add(text);
}

/** Adds the path of the member to errors of its evaluation. */
function withPath<T>(place: string | undefined, name: string, evaluation: () => T): T {
  try {
    return evaluation();
  } catch (thrown) {
    if (place === undefined || !(thrown instanceof ExtractError)) throw thrown;
    const path = `${place}.${name}`;
    throw new ExtractError(thrown.code, `${path}: ${thrown.message}`, {
      ...thrown.where,
      path,
      cause: thrown.cause,
    });
  }
}
