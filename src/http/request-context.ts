/** One attempt at a request: what interceptors and transport share of it, and the way to cancel it. */

import { Observable } from 'rxjs';
import type { RateSlot } from '../../operators/rate-budget.js';
import type { Credentials } from '../auth/types.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import type { RequestOwner } from './rate-limiter.js';

/** What an attempt is made with. */
export interface AttemptOptions {
  /** Absent: the request is a login. */
  readonly credentials?: Credentials | undefined;
  /** No attempt follows: a listed status below 400 counts as success. */
  readonly isLast: boolean;
  /** Receives the number of requests as they go out, those that follow a redirect too. */
  readonly onRequest: (requests: number) => void;
  /** The sender, for the rate limiter; absent: a login. */
  readonly owner?: RequestOwner | undefined;
}

/** Interceptors read it and fill it in; one object of one shape an attempt. */
export class RequestContext {
  readonly credentials: Credentials | undefined;
  readonly isLast: boolean;
  readonly onRequest: (requests: number) => void;
  readonly owner: RequestOwner | undefined;
  readonly scope: RequestScope;
  /** Redirects that were followed. */
  redirects = 0;
  /** The place of the request among those of a rate; begins as the request is sent. */
  slot: RateSlot | undefined = undefined;
  /** Why it was cancelled. */
  reason: unknown = undefined;
  isCancelled = false;
  /**
   * The request that is under way; set by the transport. An object rather than a function: V8 keeps a function that is
   * assigned to a member, and all that it refers to, until the next full collection.
   */
  active: { abort(reason: unknown): void } | undefined = undefined;

  constructor(scope: RequestScope, { credentials, isLast, onRequest, owner }: AttemptOptions) {
    this.scope = scope;
    this.credentials = credentials;
    this.isLast = isLast;
    this.onRequest = onRequest;
    this.owner = owner;
  }

  /** Aborts when the walk is left. One for all requests of a scope. */
  get signal(): AbortSignal {
    return this.scope.signal;
  }

  cancel(reason: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.reason = reason;
    this.active?.abort(reason);
  }
}

/** The requests of one walk, or of one login, and the signal for all that waits in it. */
export interface RequestScope {
  readonly signal: AbortSignal;
  /** Emits what `work` resolves to. Unsubscribing before that cancels the whole scope. */
  attempt<T>(options: AttemptOptions, work: (context: RequestContext) => Promise<T>): Observable<T>;
  /** Ends all requests under way, and all that wait: each fails with ERR_ABORTED. */
  cancel(): void;
}

/** Starts without any request. */
export function createRequestScope(): RequestScope {
  const controller = new AbortController();
  const active: RequestContext[] = []; // few; a set would be made anew with each deletion
  const forget = (context: RequestContext) => active.splice(active.indexOf(context), 1);
  const cancel = () => {
    if (controller.signal.aborted) return;
    controller.abort();
    for (const context of [...active]) context.cancel(controller.signal.reason);
  };
  const scope: RequestScope = {
    signal: controller.signal,
    cancel,
    attempt: <T>(options: AttemptOptions, work: (context: RequestContext) => Promise<T>) =>
      new Observable<T>((subscriber) => {
        const context = new RequestContext(scope, options);
        if (controller.signal.aborted) context.cancel(controller.signal.reason);
        active.push(context);
        let isPending = true;
        work(context).then(
          (value) => {
            isPending = false;
            forget(context);
            subscriber.next(value);
            subscriber.complete();
          },
          (thrown: unknown) => {
            isPending = false;
            forget(context);
            subscriber.error(asExtractError(thrown));
          },
        );
        return () => {
          if (isPending) cancel();
        };
      }),
  };
  return scope;
}

/** The error of a request that was cancelled; `request` is masked. */
export const abortedError = (request: string, reason: unknown): ExtractError =>
  new ExtractError('ERR_ABORTED', `${request}: interrupted`, { request, cause: reason });
