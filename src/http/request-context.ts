/** The context of one attempt at a request: state that interceptors and transport share, and cancellation. */

import { Observable, type Subscriber } from 'rxjs';
import type { Credentials } from '../auth/types.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import type { KnownPages } from '../core/model/page.js';
import type { RequestsWatch } from '../core/model/request-watch.js';
import type { ResponseRule } from '../language/condition/response-rule.js';
import type { HeldBody } from './held-bytes.js';
import type { RequestOwner, RequestSlot } from './rate-limiter.js';

/** The options of an attempt. */
export interface AttemptOptions {
  /** Absent: the request is a login. */
  readonly credentials?: Credentials | undefined;
  /** No further attempt follows: a listed status below 400 counts as success. */
  readonly isLast: boolean;
  /** Receives the number of requests when they are sent, redirects included. */
  readonly onRequest: (requests: number) => void;
  /** The sender, for the rate limiter; absent: a login. */
  readonly owner?: RequestOwner | undefined;
  /** Counts the body while it waits for its page; absent: the request is not sent before its turn. */
  readonly hold?: HeldBody | undefined;
  /** Statuses that say that there is no such page; absent: none, as for the first page of a walk. */
  readonly ends?: ReadonlySet<number> | undefined;
  /** Rules for responses; absent: none, as for a login. */
  readonly rules?: readonly ResponseRule[] | undefined;
  /** Pages that an earlier run has had; absent: the job does not ask whether they have changed. */
  readonly known?: KnownPages | undefined;
  /** Follows its requests; absent: nothing does. */
  readonly watch?: RequestsWatch | undefined;
}

/** A request for a file. */
export interface FileRequest {
  /** The rest of a file in that version; absent: all of it. */
  readonly part?: { readonly from: number; readonly version: string };
}

/** State that interceptors read and write; one object of one shape per attempt. */
export class RequestContext {
  readonly credentials: Credentials | undefined;
  readonly isLast: boolean;
  readonly onRequest: (requests: number) => void;
  readonly owner: RequestOwner | undefined;
  readonly hold: HeldBody | undefined;
  readonly ends: ReadonlySet<number> | undefined;
  readonly rules: readonly ResponseRule[] | undefined;
  readonly known: KnownPages | undefined;
  readonly watch: RequestsWatch | undefined;
  readonly scope: RequestScope;
  /** The number of redirects followed. */
  redirects = 0;
  /** The slot of the request in the rate limiter; begins when the request is sent. */
  slot: RequestSlot | undefined = undefined;
  /** The request was not sent, because its slot was too late. */
  isTooLate = false;
  /** The reason of the cancellation. */
  reason: unknown = undefined;
  isCancelled = false;
  /** The response is a file; undefined: it has items. */
  file: FileRequest | undefined = undefined;
  /** A request was written to a connection. */
  hasBegun = false;
  /**
   * The active request; set by the transport. An object rather than a function: V8 keeps a function that is assigned to
   * a member, and everything it refers to, until the next full collection.
   */
  active: { abort(reason: unknown): void } | undefined = undefined;

  constructor(scope: RequestScope, options: AttemptOptions) {
    const { credentials, isLast, onRequest, owner, hold, ends, rules, known, watch } = options;
    this.scope = scope;
    this.credentials = credentials;
    this.isLast = isLast;
    this.onRequest = onRequest;
    this.owner = owner;
    this.hold = hold;
    this.ends = ends;
    this.rules = rules;
    this.known = known;
    this.watch = watch;
  }

  /** Aborts when the walk ends. All requests of a scope share it. */
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

/** The requests of one walk or one login, and the abort signal for all their waits. */
export interface RequestScope {
  readonly signal: AbortSignal;
  /** Emits the result of `work`. Unsubscribing before that cancels the whole scope. */
  attempt<T>(options: AttemptOptions, work: (context: RequestContext) => Promise<T>): Observable<T>;
  /** Emits the result of what an attempt has begun. Unsubscribing before that cancels the whole scope. */
  settled<T>(work: Promise<T>): Observable<T>;
  /** Cancels all active and waiting requests: each fails with ERR_ABORTED. */
  cancel(): void;
}

/** Creates an empty scope. */
export function createRequestScope(): RequestScope {
  const controller = new AbortController();
  const active: RequestContext[] = []; // few; a set would allocate with each deletion
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
        return passOn(work(context), subscriber, { cancel, settle: () => void forget(context) });
      }),
    settled: (work) => new Observable((subscriber) => passOn(work, subscriber, { cancel, settle: () => {} })),
  };
  return scope;
}

interface Ending {
  /** The subscriber has left before the end. */
  readonly cancel: () => void;
  readonly settle: () => void;
}

/** Passes the result to the subscriber; returns its teardown. */
function passOn<T>(work: Promise<T>, subscriber: Subscriber<T>, { cancel, settle }: Ending): () => void {
  let isPending = true;
  work.then(
    (value) => {
      isPending = false;
      settle();
      subscriber.next(value);
      subscriber.complete();
    },
    (thrown: unknown) => {
      isPending = false;
      settle();
      subscriber.error(asExtractError(thrown));
    },
  );
  return () => {
    if (isPending) cancel();
  };
}

/** Creates the error of a cancelled request; `request` is masked. */
export const abortedError = (request: string, reason: unknown): ExtractError =>
  new ExtractError('ERR_ABORTED', `${request}: interrupted`, { request, cause: reason });
