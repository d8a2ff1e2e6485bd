/** Masks all text in an error, as the last step before it leaves the engine. */
import { ExtractError, type Where } from '../errors/errors.js';
import type { Secrets } from '../model/secrets.js';

/** Copies the error with masked message, place, problems and cause. */
export function maskError(error: ExtractError, secrets: Pick<Secrets, 'mask'>): ExtractError {
  const { request, path, final: _, retryAfter: __, ...place } = error.where; // internal members are left out
  const where: Where = {
    ...place,
    ...(request === undefined ? {} : { request: secrets.mask(request) }),
    ...(path === undefined ? {} : { path: secrets.mask(path) }),
  };
  const problems = error.problems.map((each) => ({
    path: secrets.mask(each.path),
    message: secrets.mask(each.message),
  }));
  const masked = new ExtractError(error.code, secrets.mask(error.message), {
    ...where,
    problems,
    ...(error.cause === undefined ? {} : { cause: maskCause(error.cause, secrets) }),
  });
  masked.stack = secrets.mask(error.stack ?? '');
  return masked;
}

/**
 * A cause keeps its name and code. Other members (sockets, options, bodies) could contain anything, so they are
 * dropped.
 */
function maskCause(cause: unknown, secrets: Pick<Secrets, 'mask'>): unknown {
  if (!(cause instanceof Error)) return typeof cause === 'string' ? secrets.mask(cause) : undefined;
  const masked = new Error(secrets.mask(cause.message));
  masked.name = cause.name;
  masked.stack = secrets.mask(cause.stack ?? '');
  return 'code' in cause ? Object.assign(masked, { code: cause.code }) : masked;
}
