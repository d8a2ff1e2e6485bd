/**
 * Requests pages of a walk before their turn: some pages ahead, or the next one while a page arrives. The walk stays
 * sequential: only the first attempt at a page takes a response, or a failure, that is there already.
 */
import { asyncScheduler } from 'rxjs';
import type { ExtractError } from '../../core/errors/errors.js';
import { stringifyExact } from '../../core/json/exact.js';
import type { Envelope } from '../../core/model/page.js';
import type { PageRequest } from '../../core/model/request.js';
import { whySequential } from '../../http/ahead-rules.js';
import type { RequestContext } from '../../http/request-context.js';
import type { HttpResponse } from '../../http/types.js';
import { retryDelayOf } from '../../http/with-retry.js';
import type { PageResult } from '../../page/page-result.js';
import type { PageTask } from '../../page/page-task.js';
import type { ProgressReporter } from '../../page/progress.js';
import { prefetchOf } from '../../pagination/prefetch.js';
import { type EarlyPage, isStop, type Paginator } from '../../pagination/types.js';
import { remainderAfter } from '../walk/outlook-after.js';
import type { WalkSettings } from '../walk/page-context.js';
import { AheadRequest, type AheadShared } from './ahead-request.js';
import { AheadWindow } from './ahead-window.js';

/** Returns undefined for a walk that requests nothing ahead. A run that is watched shows one page at a time. */
export function createAhead(walk: WalkSettings, paginator: Paginator): Ahead | undefined {
  const { context, job, client } = walk;
  if (context.onStep !== undefined) return undefined;
  const prefetch = prefetchOf(context.prefetch, paginator);
  const canPrefetch = prefetch !== 0 && whySequential(job, paginator, client) === undefined;
  if (!canPrefetch && paginator.overlap === undefined) return undefined;
  return new Ahead(walk, paginator, new AheadWindow(canPrefetch ? prefetch : 1, context.held.most / 2));
}

/** What is known of a page while it arrives. */
export type Arriving = Pick<EarlyPage, 'envelope' | 'headers' | 'address'>;

const noEnvelope: Envelope = new Map();

export class Ahead {
  readonly #walk: WalkSettings;
  readonly #paginator: Paginator;
  readonly #window: AheadWindow;
  readonly #shared: AheadShared;
  /** In the order of their pages. */
  #requests: AheadRequest[] = [];
  /** The request whose response is being read. */
  #current: AheadRequest | undefined = undefined;
  /** What the last page said, for conditions. */
  #envelope = noEnvelope;
  /** When the last wait for a retry ends, in epoch ms: failures before that say nothing about a new request. */
  #retriesAt = 0;
  /** When the current response began, in epoch ms. */
  #answeredAt = 0;
  /** The request of the walk itself, while it waits for its response. */
  #own: RequestContext | undefined = undefined;

  constructor(walk: WalkSettings, paginator: Paginator, window: AheadWindow) {
    this.#walk = walk;
    this.#paginator = paginator;
    this.#window = window;
    this.#shared = {
      client: walk.client,
      job: walk.job.name,
      ends: paginator.endStatuses,
      rules: walk.rules,
      known: walk.known,
      held: walk.context.held,
      onFailure: (request, error) => this.#slowDown(request.number, error),
      onDelay: () => window.delayed(),
      onAnswer: (ms) => window.answered(ms),
      onPause: () => queueMicrotask(() => this.#freeConnections()),
    };
  }

  /** Sends the request of a page, unless it was sent before, then those of the next pages. Throws as `client.ask`. */
  ask(task: PageTask, context: RequestContext, progress: ProgressReporter): Promise<HttpResponse> {
    this.#leaveCurrent();
    const early = this.#take(task);
    const response = early === undefined ? this.#send(task, context) : this.#adopt(early, context, progress);
    this.#fill(task);
    return response;
  }

  /** Whether the next page is requested while this one arrives. */
  get overlaps(): boolean {
    return this.#paginator.overlap !== undefined;
  }

  /** The page may lead to a next one: its request is sent, unless a limit may end the walk here. Never throws. */
  expect({ index }: PageTask, arriving: Arriving): void {
    const { job, bounds } = this.#walk;
    const isLimited = bounds.room(job.name) < Number.POSITIVE_INFINITY || bounds.pagesLeft(job.name) <= 1;
    if (isLimited || this.#window.size === 0 || this.#isClosed()) return;
    const request = this.#guess({ ...arriving, index, takenAt: asyncScheduler.now() });
    if (request === undefined) return;
    const [known] = this.#requests;
    if (known !== undefined && !this.#isStale(known) && isSame(known.request, request)) return;
    this.#drop(this.#requests.splice(0));
    this.#start(request, index + 1, 0);
  }

  /** The page was read. */
  read({ envelope, bytes }: Pick<PageResult, 'envelope' | 'bytes'>): void {
    this.#envelope = envelope;
    this.#window.succeeded();
    this.#window.worked(asyncScheduler.now() - this.#answeredAt, bytes);
    this.#current?.finish();
    this.#current = undefined;
  }

  /** The walk waits `ms` before it tries again. */
  waits(ms: number): void {
    this.#retriesAt = asyncScheduler.now() + ms;
    this.#window.failed(this.#current?.number ?? this.#window.send(), ms);
  }

  /** The walk is over: cancels what is left. */
  end(): void {
    this.#leaveCurrent();
    this.#drop(this.#requests.splice(0));
  }

  async #send({ request }: Pick<PageTask, 'request'>, context: RequestContext): Promise<HttpResponse> {
    const startedAt = asyncScheduler.now();
    this.#own = context;
    this.#freeConnections();
    try {
      const response = await this.#walk.client.ask(request, context);
      this.#answeredAt = asyncScheduler.now();
      this.#window.answered(this.#answeredAt - startedAt);
      return response;
    } finally {
      this.#own = undefined;
    }
  }

  /**
   * Drops paused requests while that of the walk has no connection: a dispatcher may have few of them, and paused ones
   * are free only after its page.
   */
  #freeConnections(): void {
    if (this.#own === undefined || this.#own.hasBegun) return;
    const paused = this.#requests.filter(({ hold }) => hold.isPaused);
    if (paused.length === 0) return;
    this.#requests = this.#requests.filter((each) => !paused.includes(each));
    this.#drop(paused);
  }

  async #adopt(early: AheadRequest, context: RequestContext, progress: ProgressReporter): Promise<HttpResponse> {
    const { inFlight } = this.#walk.context;
    this.#current = early;
    early.take(context);
    if (early.delay !== undefined) {
      progress.limit(early.delay);
      await inFlight.standStill(early.settled, context.signal);
      progress.now('answer');
    }
    await early.settled;
    const { response, failure } = early;
    const isUsable = response !== undefined && !early.hold.isBroken;
    const isFailure = failure !== undefined && !isOfOtherLogin(early, failure, context);
    if (!isUsable && !isFailure) return this.#replace(early, context);
    this.#answeredAt = asyncScheduler.now();
    if (response !== undefined) return response;
    throw failure;
  }

  /** It was never sent, or its response broke while it waited, or its credentials are no longer those of the walk. */
  #replace(early: AheadRequest, context: RequestContext): Promise<HttpResponse> {
    this.#leaveCurrent();
    return this.#send(early, context);
  }

  /** Takes the request of a page out of the list; undefined: there is none, or it cannot be used. */
  #take({ request, index }: PageTask): AheadRequest | undefined {
    const [first] = this.#requests;
    if (first?.index !== index) return undefined;
    if (this.#isStale(first) || !isSame(first.request, request)) {
      this.#drop(this.#requests.splice(0, this.#isStale(first) ? 1 : this.#requests.length));
      return undefined;
    }
    this.#requests.shift();
    return first;
  }

  /** It failed before the last wait for a retry. */
  #isStale({ failure, failedAt }: AheadRequest): boolean {
    return failure !== undefined && failedAt <= this.#retriesAt;
  }

  /** Undefined: it leads to no page, or it cannot be read; the whole page shows which. */
  #guess(page: EarlyPage): PageRequest | undefined {
    try {
      const step = this.#paginator.early?.(this.#walk.job, page);
      return step === undefined || isStop(step) ? undefined : step;
    } catch {
      return undefined;
    }
  }

  #isClosed(): boolean {
    const { context, job, bounds } = this.#walk;
    return context.inFlight.isStopping || bounds.reached(job.name) !== undefined || !this.#window.isOpen();
  }

  #fill(task: PageTask): void {
    const { job } = this.#walk;
    if (task.index === 0 || this.#paginator.requestAt === undefined || this.#isClosed()) return;
    const last = task.index + Math.min(this.#window.size, this.#pagesAfter(task));
    for (let index = task.index + 1; index <= last; index += 1) {
      const at = this.#requests.findIndex((each) => each.index >= index);
      const found = this.#requests[at];
      const known = found?.index === index ? found : undefined;
      if (known !== undefined && !this.#isStale(known)) continue;
      if (known !== undefined) this.#drop([known]);
      const request = this.#paginator.requestAt(job, index);
      if (request === undefined) return;
      if (known !== undefined) this.#requests.splice(at, 1);
      this.#start(request, index, at < 0 ? this.#requests.length : at);
    }
  }

  /** Sends a request; `at`: its place in the list. */
  #start(request: PageRequest, index: number, at: number): void {
    const ahead = new AheadRequest(this.#shared, {
      request,
      index,
      number: this.#window.send(),
      watch: this.#walk.watches?.of(index),
    });
    this.#requests.splice(at, 0, ahead);
    void ahead.send();
  }

  /** How many pages may follow this one, as far as limits, conditions and a total say. */
  #pagesAfter({ index, walked, seen }: PageTask): number {
    const before = { index: index - 1, items: walked?.items ?? 0, envelope: this.#envelope, seen };
    const { items, pages } = remainderAfter(before, { ...this.#walk, paginator: this.#paginator });
    const size = Math.max(1, this.#paginator.sizeOf?.(this.#walk.job) ?? seen?.largest ?? 1);
    return Math.max(0, Math.min(pages, Math.ceil(items / size)) - 1);
  }

  #slowDown(number: number, error: ExtractError): void {
    if (error.where.refused === true) return;
    this.#window.failed(number, retryDelayOf(error, this.#walk.client.retry) ?? 0);
  }

  #leaveCurrent(): void {
    this.#current?.leave();
    this.#current = undefined;
  }

  /** Requests that were sent count for the job, though no page has them. */
  #drop(requests: readonly AheadRequest[]): void {
    for (const request of requests) {
      if (request.hold.hasBegun) this.#walk.lose({ requests: request.sent, retries: 0 });
      request.leave();
    }
  }
}

/** Credentials were rejected that the walk has replaced meanwhile. */
const isOfOtherLogin = (
  { credentials }: AheadRequest,
  { where }: ExtractError,
  context: Pick<RequestContext, 'credentials'>,
): boolean => where.refused === true && credentials !== context.credentials;

/** Compares what both send. */
function isSame(one: PageRequest, other: PageRequest): boolean {
  const { endpoint, method, headers, link } = one;
  const hasSameHead =
    endpoint === other.endpoint && method === other.method && headers === other.headers && link === other.link;
  return hasSameHead && stringifyExact(one.params) === stringifyExact(other.params);
}
