/** Faults of a configuration that only evaluation shows: found one by one, told at once. */
import { ExtractError, type Problem } from './errors.js';

/**
 * Does each piece of work, whatever becomes of the others. Throws what one has thrown, or one error with the faults of
 * all.
 */
export function collectAll<const T extends readonly (() => unknown)[]>(
  ...works: T
): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const made = mapCollecting(works, (work) => work());
  return made as { readonly [K in keyof T]: ReturnType<T[K]> }; // in the order of the works, one for each
}

/** The same for each of a list. */
export function mapCollecting<T, Made>(list: Iterable<T>, work: (each: T) => Made): readonly Made[] {
  const errors: ExtractError[] = [];
  const made = [...list].flatMap((each) => {
    try {
      return [work(each)];
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown;
      errors.push(thrown);
      return [];
    }
  });
  if (errors.length > 0) throw joined(errors);
  return made;
}

const isFault = (thrown: unknown): thrown is ExtractError =>
  thrown instanceof ExtractError && (thrown.code === 'ERR_FUNCTION' || thrown.code === 'ERR_CONFIG');

/** A fault that several iterations have is one. */
function joined(errors: readonly ExtractError[]): ExtractError {
  const told = new Map(errors.map((error) => [error.message, error]));
  const [first, ...others] = [...told.values()];
  if (first === undefined || others.length === 0) return first ?? new ExtractError('ERR_INTERNAL', 'no fault');
  const isConfig = errors.some(({ code }) => code === 'ERR_CONFIG');
  return new ExtractError(isConfig ? 'ERR_CONFIG' : 'ERR_FUNCTION', [...told.keys()].join('\n'), {
    problems: [...told.values()].flatMap(problemsOf),
  });
}

function problemsOf({ message, where: { path = '' }, problems }: ExtractError): readonly Problem[] {
  if (problems.length > 0) return problems;
  return [{ path, message: message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message }];
}
