/** Asks for one page and hands it to its target: a transaction with all that looks on while it streams by. */

import type { Entry } from '../checkpoint/entries.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { emptyObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { CapturePath, Page, WalkTotals } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { describeRequest } from '../core/secrets/secrets.js';
import { bareAddress } from '../core/url/url.js';
import { type ByteSource, tapped } from '../core/util/byte-source.js';
import type { ApiClient } from '../http/api-client.js';
import { isUnreadable } from '../http/interceptors/ignore-errors.js';
import type { RequestContext } from '../http/request-context.js';
import type { HttpResponse } from '../http/types.js';
import { createBodyPrefix } from '../page/body-prefix.js';
import { listsWithin } from '../page/lists-within.js';
import { createPageWriter, type PageWriter } from '../page/page-writer.js';
import type { ProgressReporter } from '../page/progress.js';
import { type PageOptions, type PageRead, readPage } from '../page/read-page.js';
import { createSkip } from '../page/skip.js';
import { createAccumulator } from '../page/stages/accumulator.js';
import { createRows, type Rows, type RowsOptions } from '../page/stages/child-rows.js';
import { createColumns } from '../page/stages/columns.js';
import { createItemLimit } from '../page/stages/item-limit.js';
import type { ReplayGuard } from '../page/stages/replay-guard.js';
import { lookedHeaders } from '../pagination/truncation/known-fields.js';
import type { Paginator } from '../pagination/types.js';
import type { SizeLimits } from './engine.js';
import type { PageTarget } from './page-target.js';

/** What is the same for all pages of a walk. */
export interface PageContext {
  readonly client: ApiClient;
  readonly job: Job;
  readonly scroller: Paginator;
  readonly limits: SizeLimits;
  readonly secrets: Secrets;
  /** What children read of the items; absent: there are none. */
  readonly rows: RowsOptions | undefined;
}

/** The page to take, and what the walk has added up to before it. */
export interface StreamTask {
  readonly request: PageRequest;
  /** Paths besides those of the scroller whose values are wanted in the envelope. */
  readonly captures: readonly CapturePath[];
  /** The chain of the page before. */
  readonly previous?: readonly bigint[];
  readonly walked: WalkTotals;
  /** The most items that it may have; Infinity: all. */
  readonly room: number;
  /** What its sink has of attempts that broke. */
  readonly delivered: ReplayGuard;
  /** Its place in the books, where there are any. */
  readonly entry?: Entry | undefined;
}

/** A page that was read, and what pagination and children get to know of it besides. */
export interface PageResult extends PageRead, Pick<Page, 'address' | 'headers' | 'volume' | 'memo' | 'received'> {
  /** Whoever gets them clears them. */
  readonly rows?: Rows;
  /** Of a response without a list at its top level: lists further down, as far as its beginning tells. */
  readonly lists?: readonly string[];
  /** Items that were left out, as there was no room for them. */
  readonly cut: number;
  /** It came from the cache. */
  readonly cached?: true;
  /** Parameters that the login has put into the query. */
  readonly loginNames: ReadonlySet<string>;
}

/**
 * One attempt. On any failure the page is taken back before the error goes on. Throws what `ask` and `readPage` throw.
 */
export async function streamPage(
  taking: PageContext,
  wanted: StreamTask,
  target: PageTarget,
  asking: RequestContext,
  telling: ProgressReporter,
): Promise<PageResult> {
  telling.now('answer');
  const asked = await taking.client.ask(wanted.request, asking);
  telling.now('page');
  const onlookers = lookOn(taking, wanted, begin(target, wanted, { job: taking.job, asking, telling }));
  const { page, rows, beginning } = onlookers;
  try {
    const read = await readPage(onlookers.body(asked.body, telling), page, readingOf(taking, wanted, asked));
    const taken = takenOf(asked, read, onlookers, taking.scroller);
    const loginNames = new Set(asking.credentials?.query.keys() ?? []);
    if (wanted.entry !== undefined) target.enter?.(wanted.entry, taken.count === 0 ? undefined : taking.job.dataType);
    return { ...taken, loginNames };
  } catch (thrown) {
    await rows?.clear();
    if (isUnreadable(thrown)) await asked.forget?.();
    throw described(thrown, asked, beginning.strange, taking.secrets);
  } finally {
    page.end();
  }
}

/**
 * All that looks on while a page streams by, and what the reader is handed instead of the page: items pass them from
 * the cut to the sink.
 */
function lookOn({ job, scroller, rows: options }: PageContext, { walked, room }: StreamTask, begun: PageWriter) {
  const rows = options === undefined ? undefined : createRows(options);
  const widening = createColumns(job.columns ?? emptyObject);
  const tally = createAccumulator(scroller, walked.memo);
  const skip = createSkip(scroller, walked.memo);
  const cut = createItemLimit(room);
  const beginning = createBodyPrefix();
  const watched = tally.transaction(widening.transaction(begun));
  return {
    ...{ rows, widening, tally, skip, cut, beginning },
    page: skip.transaction(cut.transaction(rows === undefined ? watched : rows.transaction(watched))),
    body: (source: ByteSource, telling: ProgressReporter) =>
      tapped(
        source,
        [telling.add, tally.add, beginning.add].filter((each) => each !== undefined),
      ),
  };
}

function readingOf(
  { limits, job, scroller }: PageContext,
  { captures, previous }: StreamTask,
  asked: HttpResponse,
): PageOptions {
  return {
    ...limits,
    contentType: asked.contentType,
    isOpenEnded: asked.isOpenEnded,
    dataField: job.dataField,
    captures: [...scroller.captures, ...captures],
    fingerprint: scroller.single !== true,
    previous,
  };
}

/** What was read, put together with what was noticed on the way. */
function takenOf(
  asked: HttpResponse,
  read: PageRead,
  { rows, widening, tally: { memo, volume }, skip, cut: { dropped }, beginning }: ReturnType<typeof lookOn>,
  scroller: Paginator,
): Omit<PageResult, 'loginNames'> {
  return {
    ...read,
    // A page that was not delivered counts nothing; its chain ends with what it had.
    received: read.repeated ? Number(read.chain.at(-1) ?? 0) : read.count,
    count: read.count - skip.dropped.count - dropped.count,
    bytes: read.bytes - skip.dropped.bytes - dropped.bytes + widening.added,
    cut: dropped.count,
    address: asked.address ?? bareAddress(asked.request.url),
    headers: headersOf(asked, scroller),
    volume,
    ...(read.found === 'none' ? { lists: listsWithin(beginning.text) } : {}),
    ...(memo === undefined ? {} : { memo }),
    ...(rows === undefined ? {} : { rows }),
    ...(asked.storedAt === undefined ? {} : { cached: true }),
  };
}

interface AttemptContext {
  readonly job: Job;
  readonly asking: RequestContext;
  readonly telling: ProgressReporter;
}

/** Nothing is asked of the sink yet; the display hears when it is its turn. */
function begin(
  { sink, acquire }: PageTarget,
  { delivered }: StreamTask,
  { job, asking, telling }: AttemptContext,
): PageWriter {
  const { dataType } = job;
  const { signal } = asking;
  const inTurn = async () => {
    telling.now('turn');
    const leave = await acquire(dataType, signal);
    telling.now('sink');
    return leave;
  };
  return telling.transaction(createPageWriter({ sink, job: job.name, dataType, signal, acquire: inTurn, delivered }));
}

/** Adds the request, and the start of a body that is no JSON from its first character on. */
function described(
  thrown: unknown,
  { request }: HttpResponse,
  strange: string | undefined,
  secrets: Secrets,
): ExtractError {
  const error = asExtractError(thrown);
  const masked = describeRequest(request, secrets);
  if (error.code !== 'ERR_JSON' || strange === undefined) return error.at({ request: masked });
  const message = `${error.message}; the body begins "${secrets.excerpt(strange, 60)}"`;
  return new ExtractError('ERR_JSON', message, { ...error.where, cause: error.cause, request: masked });
}

/** Those of the response that the scroller named, and those that tell whether the data goes on. */
function headersOf({ headers }: HttpResponse, { headers: names = [] }: Paginator): Page['headers'] {
  const named = [...names, ...lookedHeaders].map((name) => [name, [headers[name] ?? []].flat()] as const);
  return new Map(named.filter(([, values]) => values.length > 0));
}
