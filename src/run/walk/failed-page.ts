/**
 * A page whose request fails in the end, in a job with `onError`: its walk ends there, without an error.
 * docs/04-child-jobs.md#when-a-child-fails.
 */
import { asyncScheduler, catchError, defer, identity, type MonoTypeOperatorFunction, of } from 'rxjs';
import { holdsLetters, type RequestLetter, withRequestLetter } from '../../../sinks/decorators/dead-letters.js';
import type { ErrorChoice, ErrorRule } from '../../config/on-error.js';
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
 * Commits a page without items in place of a failure that the job leaves out, with a dead letter if the job says so.
 * Passes on any other failure, and throws ERR_STATUS for one more than `max`. A page that a sink has kept a part of is
 * never left out.
 */
export function leavingOut(
  walk: WalkContext,
  task: StartedTask,
  { stream, target, scope, completion }: LeavingOut,
): MonoTypeOperatorFunction<Completed> {
  const { job, context, bounds } = walk;
  const { name, dataType, onError } = job;
  if (onError === undefined) return identity;
  return catchError((thrown) => {
    const error = asExtractError(thrown);
    const choice = choiceFor(onError, error);
    if (choice === 'fail' || task.delivered.count > 0) throw error;
    const { status, request = '' } = error.where;
    const isLetter = choice === 'dead-letter' && context.sinks.some(holdsLetters);
    const letter = isLetter ? (true as const) : undefined;
    const failure: FailedRequest = {
      code: error.code,
      ...defined({ status }),
      page: task.index,
      request,
      ...defined({ letter }),
    };
    if (!bounds.leaveOut(name, onError.max)) throw tooMany(error, onError.max);
    const message = `left out${isLetter ? ' and stored as a dead letter' : ''}, as \`onError\` says: ${error.message}`;
    context.notify({ level: 'info', code: 'request-skipped', message, job: name, page: task.index });
    return defer(() => {
      const [end, { signal }] = [pageEnd(stream, task, { count: 0, bytes: 0 }), scope];
      if (isLetter) {
        const committing = { end: withRequestLetter(end, letterOf(walk, error, failure)), signal };
        const inTurn = async () => {
          const leave = await target.acquire(dataType, signal);
          try {
            return await completion.leaveOut(task, failure, target, committing);
          } finally {
            leave();
          }
        };
        return scope.settled(context.inFlight.track(inTurn()));
      }
      const completed = completion.leaveOut(task, failure, target, { end, signal });
      return completed instanceof Promise ? scope.settled(completed) : of(completed);
    });
  });
}

/** What the letter says of the failure; the sink adds the place of the page. */
function letterOf(
  { context: { secrets }, placeholders }: WalkContext,
  { message }: ExtractError,
  { code, status, request }: FailedRequest,
): RequestLetter {
  const values = [...placeholders].map(([name, { text }]) => [name, secrets.mask(text)]);
  return {
    error: secrets.mask(message),
    code,
    ...defined({ status }),
    request,
    ...(values.length === 0 ? {} : { placeholders: Object.fromEntries(values) }),
    time: new Date(asyncScheduler.now()).toISOString(),
  };
}

/** 401 rejects the credentials of all jobs: it is left out only by its number. A login is never left out. */
function choiceFor({ statuses, others }: ErrorRule, { code, where }: ExtractError): ErrorChoice {
  if (where.login === true) return 'fail';
  if (code === 'ERR_RESPONSE') return where.refused === true ? 'fail' : others;
  if (code !== 'ERR_STATUS' || where.status === undefined) return 'fail';
  return statuses.get(where.status) ?? (where.status === 401 ? 'fail' : others);
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
