/** Calls a function of the language: finds it by name, evaluates and counts its arguments. */
import { asyncScheduler } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isObject } from '../../core/json/exact.js';
import { didYouMean } from '../../core/util/suggest.js';
import { kindOf } from './convert.js';
import { type Call, type ExpressionFunction, expectedArguments, type FunctionPlace } from './function.js';
import { functionNamed, functions } from './registry.js';

interface CallArguments {
  readonly value: readonly Exact[];
  readonly secret: boolean;
}

/**
 * Evaluates the arguments with `evaluateAll`; the result is secret if an argument is. Throws ERR_FUNCTION with the
 * function's name.
 */
export function callFunction(
  expression: ExactObject,
  evaluateAll: (args: readonly Exact[]) => CallArguments,
  { now = () => asyncScheduler.now(), place }: Partial<Call> & { readonly place?: FunctionPlace },
) {
  const name = expression.get('function') ?? null;
  if (typeof name !== 'string')
    throw new ExtractError('ERR_FUNCTION', `"function" is ${kindOf(name)}, expected a name`);
  const definition = functionNamed(name);
  if (definition === undefined) throw unknownFunction(name);
  if (definition.only !== undefined && definition.only !== place) {
    throw new ExtractError('ERR_FUNCTION', `function "${name}" can only be called in \`${definition.only}\``);
  }

  const { value: args, secret } = evaluateAll(argumentsOf(name, expression.get('args') ?? null));
  checkCount(name, definition, args.length);
  try {
    return { value: definition.apply(args, { now }), secret };
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    throw new ExtractError(thrown.code, `function "${name}": ${thrown.message}`);
  }
}

/**
 * Returns no arguments if `args` is absent. Values of an object count in their order.
 * docs/01-configuration.md#expressions.
 */
function argumentsOf(name: string, args: Exact): readonly Exact[] {
  if (args === null) return [];
  if (isArray(args)) return args;
  if (isObject(args)) return [...args.values()];
  throw new ExtractError('ERR_FUNCTION', `function "${name}": "args" is ${kindOf(args)}, expected a list`);
}

function checkCount(name: string, { args }: ExpressionFunction, given: number): void {
  const expected = expectedArguments(args, given);
  if (expected !== undefined) {
    throw new ExtractError('ERR_FUNCTION', `function "${name}" takes ${expected}, found ${given}`);
  }
}

function unknownFunction(name: string): ExtractError {
  const known = Object.keys(functions);
  return new ExtractError(
    'ERR_FUNCTION',
    `there is no function "${name}"; expected ${known.map((each) => `"${each}"`).join(', ')}${didYouMean(name, known)}`,
  );
}
