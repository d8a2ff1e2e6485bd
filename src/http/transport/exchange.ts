/**
 * One request and its response as an undici dispatch handler. Handler, response and body are one object, because each
 * page creates one. Supports both generations of handlers: undici's own MockAgent still uses the older one.
 */
import { util } from 'undici';
import type { ExtractError } from '../../core/errors/errors.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { TakeChunk } from '../../core/util/byte-source.js';
import type { RequestContext } from '../request-context.js';
import type { HttpBody, HttpResponse, ResponseHeaders } from '../types.js';
import type { Deadline, Deadlines } from './deadlines.js';
import { badStatusCode } from './transport-error.js';

/** Limit in bytes for data that arrives before a reader; above it the connection pauses. */
const highWaterMark = 512 * 1024;

/** Shared by all exchanges of one transport. */
export interface ExchangeContext {
  /** Turns a connection error into an ExtractError. */
  toError(thrown: unknown, at: FailedExchange): ExtractError;
  readonly deadlines: Deadlines;
  /** Time limits in ms for the head and for the whole response; absent: no limit. */
  readonly headTimeout: number | undefined;
  readonly requestTimeout: number | undefined;
  onHead(exchange: Exchange): void;
  lateError(): unknown;
}

/** The facts that determine the error of an exchange. */
export interface FailedExchange {
  readonly request: HttpRequest;
  readonly context: Pick<RequestContext, 'isCancelled' | 'reason' | 'redirects'>;
  /** The head had arrived: the body failed. */
  readonly hasHead: boolean;
}

/** The part of undici's controller that is used, in either generation. */
interface Controller {
  abort(reason: unknown): void;
  pause(): void;
  resume(): void;
}

export class Exchange implements HttpResponse, HttpBody {
  status = 0;
  headers: ResponseHeaders = {};
  contentType: string | undefined = undefined;
  isOpenEnded = false;
  readonly request: HttpRequest;
  readonly body: HttpBody = this;
  /** The head has arrived: later failures are body failures. */
  hasHead = false;
  readonly #shared: ExchangeContext;
  readonly context: RequestContext;
  #controller: Controller | undefined = undefined;
  #resolve: (value: this) => void;
  #reject: (thrown: unknown) => void;
  #headDeadline: Deadline | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  #take: TakeChunk | undefined = undefined;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #isPaused = false;
  /** The reader is processing a chunk. */
  #isBusy = false;
  #hasEnded = false;
  #failure: { readonly thrown: unknown } | undefined = undefined;

  constructor(shared: ExchangeContext, request: HttpRequest, context: RequestContext, settle: Settle) {
    this.#shared = shared;
    this.request = request;
    this.context = context;
    this.#resolve = settle.resolve as (value: this) => void; // resolves with this object, later with an unused value
    this.#reject = settle.reject;
    context.active = this;
    const { deadlines, headTimeout, requestTimeout } = shared;
    const late = () => this.abort(shared.lateError());
    if (headTimeout !== undefined) this.#headDeadline = deadlines.start(headTimeout, late);
    if (requestTimeout !== undefined) this.#deadline = deadlines.start(requestTimeout, late);
  }

  /** Ends the request in any state. A body that has arrived and was not read is dropped. */
  abort(reason: unknown): void {
    if (this.#failure !== undefined) return;
    if (this.#hasEnded) {
      if (this.#take === undefined) this.#dropUnread(reason);
      return;
    }
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure.thrown);
    else this.#begin();
  }

  #begin(): void {
    const { slot, hold } = this.context;
    if (slot?.isLate?.() === true) {
      this.context.isTooLate = true;
      this.abort(tooLate);
      return;
    }
    slot?.begin();
    this.context.hasBegun = true;
    if (hold !== undefined) hold.hasBegun = true;
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHeaders): void {
    // undici's parser fails an assertion on it; RFC 9110 15 defines no status below 100.
    if (status < 100) throw Object.assign(new Error('a status below 100'), { code: badStatusCode });
    if (status < 200 && status !== 101) return;
    this.context.slot?.begin();
    if (this.#headDeadline !== undefined) this.#shared.deadlines.stop(this.#headDeadline);
    this.status = status;
    this.headers = headers;
    const type = headers['content-type'];
    this.contentType = typeof type === 'string' ? type : type?.[0];
    this.hasHead = true;
    this.#shared.onHead(this);
    this.#resolve(this);
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    if (this.#take !== undefined && !this.#isBusy && this.#queue.length === 0) this.#give(chunk);
    else {
      this.#queue.push(chunk);
      this.#queued += chunk.length;
      const { hold } = this.context;
      const isFull =
        hold === undefined || this.#take !== undefined ? this.#queued > highWaterMark : !hold.keep(chunk.length, this);
      if (isFull) this.#pause();
    }
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    // A body that has arrived may wait for its page as long as it must.
    if (this.#deadline !== undefined) this.#shared.deadlines.stop(this.#deadline);
    if (this.#take !== undefined && !this.#isBusy && this.#queue.length === 0) this.#finish();
  }

  onResponseError(_: unknown, thrown: unknown): void {
    this.#fail(thrown);
  }

  // The older generation of handlers.

  onConnect(abort: (reason?: Error) => void): void {
    const resume = () => this.#resumeOld?.();
    this.onRequestStart({ abort: abort as (reason: unknown) => void, pause: () => {}, resume }); // any reason is fine
  }

  #resumeOld: (() => void) | undefined = undefined;

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    this.#resumeOld = resume;
    this.onResponseStart(undefined, status, util.parseHeaders(rawHeaders));
    return true;
  }

  onData(chunk: Uint8Array): boolean {
    this.onResponseData(undefined, chunk);
    return !this.#isPaused;
  }

  onComplete(): void {
    this.onResponseEnd();
  }

  onError(thrown: Error): void {
    this.onResponseError(undefined, thrown);
  }

  // The body.

  read(take: TakeChunk): Promise<void> {
    this.context.hold?.read();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve as () => void; // one slot serves head and body: only one is pending at a time
      this.#reject = reject;
      this.#take = take;
      this.#drain();
    });
  }

  cancel(): void {
    this.abort(left);
  }

  #give(chunk: Uint8Array): void {
    try {
      const waiting = this.#take?.(chunk);
      if (waiting !== undefined) this.#waitFor(waiting);
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  /** Passes on chunks that arrived before there was a reader, or while it was busy. */
  #drain(): void {
    while (this.#queue.length > 0 && !this.#isBusy) {
      const chunk = this.#queue.shift();
      if (chunk === undefined) break;
      this.#queued -= chunk.length;
      this.#give(chunk);
    }
    if (this.#isBusy) return;
    if (this.#queue.length > 0 || this.#failure !== undefined) {
      if (this.#failure !== undefined) this.#settleFailure();
      return;
    }
    if (this.#hasEnded) this.#finish();
    else this.#unpause();
  }

  #waitFor(waiting: Promise<void>): void {
    this.#isBusy = true;
    if (this.#deadline !== undefined) this.#shared.deadlines.pause(this.#deadline);
    waiting.then(
      () => {
        this.#ready();
        this.#drain();
      },
      (thrown: unknown) => {
        this.#ready();
        this.#refuse(thrown);
      },
    );
  }

  /** Records the reader's error as the failure, and drops the rest of the body. */
  #refuse(thrown: unknown): void {
    this.#queue = [];
    this.#failure ??= { thrown };
    this.#stopClocks();
    this.#reject(thrown);
    if (!this.#hasEnded) this.#controller?.abort(left);
  }

  #ready(): void {
    this.#isBusy = false;
    if (this.#deadline !== undefined) this.#shared.deadlines.resume(this.#deadline);
  }

  /** The clock of a response stops while its connection is paused: the server cannot send. */
  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    if (this.#deadline !== undefined) this.#shared.deadlines.pause(this.#deadline);
    this.#controller?.pause();
  }

  #unpause(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#deadline !== undefined) this.#shared.deadlines.resume(this.#deadline);
    this.#controller?.resume();
  }

  /** Continues a response that waits for its page and was paused. */
  proceed(): void {
    if (this.#take === undefined) this.#unpause();
  }

  /**
   * Resolves late. undici frees a connection one turn after its body has ended, in a callback that it schedules right
   * after it calls this handler; an earlier request would open another connection.
   */
  #finish(): void {
    this.#stopClocks();
    process.nextTick(setImmediate, this.#resolve, this);
  }

  /** Waits for a busy reader: data must not be withdrawn during a write. */
  #fail(thrown: unknown): void {
    if (this.#hasEnded || this.#failure !== undefined) return;
    this.#failure = { thrown };
    this.#stopClocks();
    this.#leaveHold();
    if (!this.#isBusy && (this.#take !== undefined || !this.hasHead)) this.#settleFailure();
  }

  #dropUnread(reason: unknown): void {
    this.#failure = { thrown: reason };
    this.#queue = [];
    this.#stopClocks();
    this.#leaveHold();
  }

  /** A body with a reader does not wait: its reader has the failure. */
  #leaveHold(): void {
    const { hold } = this.context;
    if (hold === undefined || this.#take !== undefined) return;
    hold.isBroken = true;
    hold.end();
  }

  #settleFailure(): void {
    const thrown = this.#failure?.thrown;
    this.#queue = [];
    this.#reject(this.#shared.toError(thrown, this));
  }

  #stopClocks(): void {
    this.context.active = undefined;
    const { deadlines } = this.#shared;
    if (this.#headDeadline !== undefined) deadlines.stop(this.#headDeadline);
    if (this.#deadline !== undefined) deadlines.stop(this.#deadline);
  }
}

interface Settle {
  readonly resolve: (value: Exchange) => void;
  readonly reject: (thrown: unknown) => void;
}

const tooLate = new Error('the slot of the rate limiter is too late');

const left = new Error('the rest of the body is not wanted');
