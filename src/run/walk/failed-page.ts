/**
 * A page whose request fails in the end, in a job with `onError`: its walk ends there, without an error.
 * docs/04-child-jobs.md#when-a-child-fails.
 */
import { catchError, defer, identity, type MonoTypeOperatorFunction, of } from 'rxjs';
import type { ErrorRule } from '../../config/on-error.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { FailedRequest } from '../../core/model/page.js';
import { defined } from '../../core/util/defined.js';
import type { RequestScope } from '../../http/request-context.js';
import type { Completed, PageCompletion } from './page-completion.js';
import type { WalkContext } from './page-context.js';
import type { PageTarget } from './page-target.js';
import { type PageStream, pageEnd, type StartedTask } from './stream-page.js';

export interface LeavingOut {
  readonly stream: PageStream;
  readonly target: PageTarget;
  readonly scope: RequestScope;
  readonly completion: PageCompletion;
}

/**
 * Commits a page without items in place of a failure that the job leaves out. Passes on any other failure, and throws
 * ERR_STATUS for one more than `max`. A page that a sink has kept a part of is never left out.
 */
export function leavingOut(
  { job, context, bounds }: WalkContext,
  task: StartedTask,
  { stream, target, scope, completion }: LeavingOut,
): MonoTypeOperatorFunction<Completed> {
  const { name, onError } = job;
  if (onError === undefined) return identity;
  return catchError((thrown) => {
    const error = asExtractError(thrown);
    if (!isLeftOut(onError, error) || task.delivered.count > 0) throw error;
    const { status, request = '' } = error.where;
    const failure: FailedRequest = { code: error.code, ...defined({ status }), page: task.index, request };
    if (!bounds.leaveOut(name, onError.max)) throw tooMany(error, onError.max);
    const message = `left out, as \`onError\` says: ${error.message}`;
    context.notify({ level: 'info', code: 'request-skipped', message, job: name, page: task.index });
    return defer(() => {
      const committing = { end: pageEnd(stream, task, { count: 0, bytes: 0 }), signal: scope.signal };
      const completed = completion.leaveOut(task, failure, target, committing);
      return completed instanceof Promise ? scope.settled(completed) : of(completed);
    });
  });
}

/** 401 rejects the credentials of all jobs: it is left out only by its number. A login is never left out. */
function isLeftOut({ statuses, others }: ErrorRule, { code, where }: ExtractError): boolean {
  if (where.login === true) return false;
  if (code === 'ERR_RESPONSE') return others && where.refused !== true;
  if (code !== 'ERR_STATUS' || where.status === undefined) return false;
  return statuses.get(where.status) ?? (others && where.status !== 401);
}

const tooMany = ({ code, message, where, cause }: ExtractError, max: number): ExtractError =>
  new ExtractError(
    code,
    `${message}; ${max} requests of this job are left out already, as many as \`onError.max\` allows`,
    {
      ...where,
      cause,
    },
  );
