/** Collects the problems that evaluating a configuration finds, and reports them as one error. */
import { ExtractError, type Problem } from './errors.js';

/** Runs every function, even if others fail. Throws the error of one, or one error with the problems of all. */
export function collectAll<const T extends readonly (() => unknown)[]>(
  ...functions: T
): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const results = mapCollecting(functions, (work) => work());
  return results as { readonly [K in keyof T]: ReturnType<T[K]> }; // in the order of the functions, one for each
}

/** The same for each element of a list. */
export function mapCollecting<T, Result>(list: Iterable<T>, work: (each: T) => Result): readonly Result[] {
  const errors: ExtractError[] = [];
  const results = [...list].flatMap((each) => {
    try {
      return [work(each)];
    } catch (thrown) {
      if (!isProblem(thrown)) throw thrown;
      errors.push(thrown);
      return [];
    }
  });
  if (errors.length > 0) throw mergeErrors(errors);
  return results;
}

const isProblem = (thrown: unknown): thrown is ExtractError =>
  thrown instanceof ExtractError && (thrown.code === 'ERR_FUNCTION' || thrown.code === 'ERR_CONFIG');

/** Several iterations can have the same problem: it is reported once. */
function mergeErrors(errors: readonly ExtractError[]): ExtractError {
  const byMessage = new Map(errors.map((error) => [error.message, error]));
  const [first, ...others] = [...byMessage.values()];
  if (first === undefined || others.length === 0) return first ?? new ExtractError('ERR_INTERNAL', 'no problem');
  const isConfig = errors.some(({ code }) => code === 'ERR_CONFIG');
  return new ExtractError(isConfig ? 'ERR_CONFIG' : 'ERR_FUNCTION', [...byMessage.keys()].join('\n'), {
    problems: [...byMessage.values()].flatMap(problemsOf),
  });
}

function problemsOf({ message, where: { path = '' }, problems }: ExtractError): readonly Problem[] {
  if (problems.length > 0) return problems;
  return [{ path, message: message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message }];
}

/** Returns one error for all problems. */
export function configError(problems: readonly Problem[]): ExtractError {
  const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new ExtractError('ERR_CONFIG', lines.join('\n'), { problems });
}
