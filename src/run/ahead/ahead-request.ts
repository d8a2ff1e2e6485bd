/** A request that is sent before its turn. Its response waits, whole or paused, until the walk asks for its page. */
import { asyncScheduler, catchError, EMPTY, ignoreElements, lastValueFrom, Subject, takeUntil } from 'rxjs';
import type { Credentials } from '../../auth/types.js';
import { asExtractError, type ExtractError } from '../../core/errors/errors.js';
import type { KnownPages } from '../../core/model/page.js';
import type { PageRequest } from '../../core/model/request.js';
import type { RequestsWatch } from '../../core/model/request-watch.js';
import { deferred } from '../../core/util/deferred.js';
import type { ApiClient } from '../../http/api-client.js';
import { HeldBody, type HeldBytes } from '../../http/held-bytes.js';
import type { RequestOwner } from '../../http/rate-limiter.js';
import { createRequestScope, type RequestContext } from '../../http/request-context.js';
import type { HttpResponse } from '../../http/types.js';
import type { ResponseRule } from '../../language/condition/response-rule.js';

/** What all requests ahead of a walk share. */
export interface AheadShared {
  readonly client: ApiClient;
  readonly job: string;
  readonly ends: ReadonlySet<number> | undefined;
  readonly rules: readonly ResponseRule[];
  readonly known: KnownPages | undefined;
  readonly held: HeldBytes;
  /** A request failed by itself. */
  onFailure(request: AheadRequest, error: ExtractError): void;
  /** The rate limiter delays a request. */
  onDelay(): void;
  /** A response waits, and its connection is paused. */
  onPause(): void;
  /** A response has begun, after so many ms. */
  onAnswer(ms: number): void;
}

/** What is sent before its turn. */
interface RequestAhead extends Pick<AheadRequest, 'request' | 'index' | 'number'> {
  /** Follows its page; undefined: nothing does. */
  readonly watch: RequestsWatch | undefined;
}

export class AheadRequest {
  readonly request: PageRequest;
  readonly index: number;
  /** Its number among the requests of the walk. */
  readonly number: number;
  response: HttpResponse | undefined = undefined;
  failure: ExtractError | undefined = undefined;
  /** When it failed, in epoch ms. */
  failedAt = 0;
  credentials: Credentials | undefined = undefined;
  /** While the rate limiter delays it: the least wait in ms that the API asked for, else 0. */
  delay: number | undefined = undefined;
  /** Requests that were sent for it, redirects included. */
  sent = 0;
  readonly hold: HeldBody;
  readonly #shared: AheadShared;
  readonly #watch: RequestsWatch | undefined;
  #startedAt = 0;
  readonly #left = new Subject<void>();
  /** Resolves when it has a response or a failure, or will have neither. */
  readonly settled: Promise<void>;
  #settle = (): void => {};
  /** Resolves when its response is no longer needed. */
  readonly #finished = deferred();
  /** The page that waits for it. */
  #page: RequestContext | undefined = undefined;

  constructor(shared: AheadShared, { request, index, number, watch }: RequestAhead) {
    this.#shared = shared;
    this.request = request;
    this.index = index;
    this.number = number;
    this.#watch = watch;
    this.hold = new HeldBody(shared.held, shared.onPause);
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Sends it with valid credentials. Never throws: the walk finds a failure when it asks for the page. */
  async send(): Promise<void> {
    const { client } = this.#shared;
    const sending = client.credentials.use((credentials) => this.#attempt(credentials));
    try {
      await lastValueFrom(sending.pipe(takeUntil(this.#left)), { defaultValue: undefined });
    } catch {
      // A login has failed: the page logs in itself, and has the error.
    }
    this.#settle();
  }

  /** Gives it to the page, which counts its requests. */
  take(page: RequestContext): void {
    this.#page = page;
    this.hold.take();
    if (this.sent > 0) page.onRequest(this.sent);
    this.sent = 0;
  }

  /** Its page was read. */
  finish(): void {
    this.#finished.resolve();
  }

  /** It is not wanted: what is under way is cancelled. */
  leave(): void {
    this.#left.next();
    this.#finished.resolve();
    this.hold.take();
    this.hold.end();
    this.response?.body.cancel();
  }

  /** A rejection of credentials is no error here: the page decides about it, so that there is one login. */
  #attempt(credentials: Credentials) {
    const { client, job, ends, rules, known } = this.#shared;
    this.credentials = credentials;
    const isLast = client.isSentOnce(this.request) || client.retry.maxRetries <= 0;
    const onRequest = (requests: number) => this.#count(requests);
    const owner: RequestOwner = { name: job, onWait: (ms) => this.#wait(ms), onPass: () => this.#pass() };
    return createRequestScope()
      .attempt(
        { credentials, isLast, onRequest, owner, ends, rules, known, hold: this.hold, watch: this.#watch },
        (context) => this.#ask(context),
      )
      .pipe(
        ignoreElements(),
        catchError(() => EMPTY),
      );
  }

  /** Stays active while the response is used: then its credentials stay known, and leaving cancels it. */
  async #ask(context: RequestContext): Promise<void> {
    const { client, onFailure, onAnswer } = this.#shared;
    this.#startedAt = asyncScheduler.now();
    try {
      this.response = await client.ask(this.request, context);
      if (context.isCancelled) this.response.body.cancel();
      onAnswer(asyncScheduler.now() - this.#startedAt);
    } catch (thrown) {
      this.failure = asExtractError(thrown);
      this.failedAt = asyncScheduler.now();
      if (!context.isCancelled) onFailure(this, this.failure);
      return;
    } finally {
      this.#settle();
    }
    await this.#finished.promise;
  }

  #count(requests: number): void {
    if (this.#page === undefined) this.sent += requests;
    else this.#page.onRequest(requests);
  }

  #wait(ms: number): void {
    this.delay = ms;
    this.#shared.onDelay();
  }

  #pass(): void {
    this.delay = undefined;
    this.#startedAt = asyncScheduler.now();
  }
}
