/** What work fails with, where the test looks at the error itself. */
import { ExtractError } from '../../src/core/errors/errors.js';

/** The error that the work is rejected with; fails when there is none, or another kind. */
export async function failure(work: Promise<unknown>): Promise<ExtractError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof ExtractError) return thrown;
  throw new Error(`expected an ExtractError, not ${thrown}`);
}
