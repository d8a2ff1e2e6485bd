/** Requests one page and streams its body through the stages of the walk to its target. */

import { isBorrowing } from '../../../sinks/borrowing.js';
import type { PageEnd, Sink } from '../../../sinks/contract.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { ExactObject } from '../../core/json/exact.js';
import type { Job } from '../../core/model/job.js';
import type { CapturePath, Page, WalkTotals } from '../../core/model/page.js';
import { guessedFormat, type ResponseFormat } from '../../core/model/response-format.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import { noHeaders } from '../../core/url/headers.js';
import { bareAddress } from '../../core/url/url.js';
import type { ByteSource } from '../../core/util/byte-source.js';
import type { ApiClient } from '../../http/api-client.js';
import { decodedBody } from '../../http/decoding/decode-body.js';
import { guessedBody } from '../../http/decoding/guessed-body.js';
import { isUnreadable } from '../../http/interceptors/ignore-errors.js';
import type { RequestContext } from '../../http/request-context.js';
import type { HttpResponse } from '../../http/types.js';
import type { ResponseRule } from '../../language/condition/response-rule.js';
import { errorIn } from '../../page/error-in-body.js';
import type { FormatSettings } from '../../page/formats/format-scan.js';
import { composeStages, type PagePipeline, pageStages } from '../../page/page-pipeline.js';
import type { PageRead, PageResult, PageResultDraft } from '../../page/page-result.js';
import type { PageAttempt } from '../../page/page-stage.js';
import type { PageTask } from '../../page/page-task.js';
import { createPageWriter } from '../../page/page-writer.js';
import type { ProgressReporter } from '../../page/progress.js';
import { type EarlyCaptures, type PageOptions, readPage } from '../../page/read-page.js';
import { json, readerOf } from '../../page/readers.js';
import type { SlabMemory } from '../../page/slab-memory.js';
import { type BodyPrefix, bodyPrefix } from '../../page/stages/body-prefix.js';
import type { ReplayGuard } from '../../page/stages/replay-guard.js';
import { lookedHeaders } from '../../pagination/truncation/known-fields.js';
import type { Paginator } from '../../pagination/types.js';
import type { Ahead } from '../ahead/ahead.js';
import type { SizeLimits } from '../run-context.js';
import { applyVerdict, judgingOf } from './judge-page.js';
import type { WalkSettings } from './page-context.js';
import { isCompared, watchesShifts } from './page-repeats.js';
import type { PageTarget } from './page-target.js';
import { headersOfValue } from './reached-value.js';
import { type BeginFile, createFileStore, type FileAttempt, hasFile } from './store-file.js';
import { unchangedPage } from './unchanged-page.js';

/** What all pages of a walk share. A walk fetches one page at a time. */
export interface PageStream {
  readonly client: ApiClient;
  readonly job: Job;
  /** The place of the walk within the run. */
  readonly place: Pick<PageEnd, 'run' | 'walk' | 'lane'>;
  readonly paginator: Paginator;
  readonly limits: SizeLimits;
  readonly secrets: Secrets;
  /** Rules on responses. */
  readonly rules: readonly ResponseRule[];
  /** The stages before the sink, composed once. */
  readonly pipeline: PagePipeline;
  readonly prefix: BodyPrefix;
  /** Whether pages are fingerprinted, to compare them. */
  readonly isFingerprinted: boolean;
  /** Requests pages before their turn; undefined: each is requested at its turn. */
  readonly ahead: Ahead | undefined;
  readonly slabs: SlabMemory;
  /** Response headers that the walk reads besides those of its paginator, in lower case. */
  readonly headers: readonly string[];
  /** How pages are read, and what they know of one another. */
  readonly format: FormatSettings;
  /** The page that is read, for warnings. */
  readonly reading: { page: number };
  /** Begins the file of a page; undefined: responses have items. */
  readonly beginFile: BeginFile | undefined;
}

/** A page that is being fetched: its task, and what the run adds to it. */
export interface StartedTask extends PageTask {
  readonly walked: WalkTotals;
  /** Paths to capture, those of the paginator first. */
  readonly captures: readonly CapturePath[];
  /** The most items that the page may have; Infinity: no limit. */
  readonly room: number;
  /** What its sink has got from failed attempts. */
  readonly delivered: ReplayGuard;
}

/** Composes the stages of a walk. */
export function createPageStream(settings: WalkSettings, paginator: Paginator, ahead?: Ahead): PageStream {
  const { context, client, job, walk, lane, rows, bounds, rules, increment } = settings;
  const prefix = bodyPrefix();
  const selector = context.selects.of(job.dataType);
  const stages = pageStages({
    parse: job.response?.parse ?? [],
    paginator,
    follow: increment?.follow,
    watchesShifts: watchesShifts(job, paginator),
    rows,
    isLimited: bounds.room(job.name) < Infinity,
    columns: job.columns,
    selector,
    isCertified: context.proofs !== undefined,
    isObserved: context.onActivity !== undefined,
  });
  const writer = createPageWriter({
    job: job.name,
    dataType: job.dataType,
    run: context.runId,
    walk,
    columns: selector === undefined ? namesOf(job.columns) : undefined,
  });
  const pipeline = composeStages([prefix, ...stages], writer);
  const { limits, secrets, slabs } = context;
  const reading = { page: 0 };
  const format: FormatSettings = {
    options: job.response ?? guessedFormat,
    memory: {},
    warn: (code, message) => context.notify({ level: 'warning', code, message, job: job.name, page: reading.page }),
  };
  return {
    client,
    job,
    place: { run: context.runId, walk, lane },
    paginator,
    pipeline,
    prefix,
    isFingerprinted: isCompared({ paginator, context }),
    ahead,
    limits,
    secrets,
    slabs,
    headers: headersOfValue(increment),
    format,
    reading,
    rules,
    beginFile: createFileStore(settings),
  };
}

/** After a select the columns are members like any others. */
const namesOf = (columns: ExactObject | undefined) =>
  columns === undefined || columns.size === 0 ? undefined : [...columns.keys()];

/** The end of a page for its sinks, and the signal of its walk. */
export interface Committing {
  readonly end: PageEnd;
  readonly signal: AbortSignal;
}

/** A page that was read. `completed` is a promise while the page is committed. */
export interface Streamed<T> {
  readonly completed: T | Promise<T>;
}

/** Completes a page that was read. The page keeps its turn until the result settles. */
export interface Completion<T> {
  complete(task: StartedTask, read: PageResult, target: PageTarget, committing: Committing): T | Promise<T>;
}

/**
 * Makes one attempt, up to the beginning of the commit. A failure of the reading rolls the page back before it is
 * thrown. Throws what `ask`, `readPage` and `complete` throw.
 */
export async function streamPage<T>(
  stream: PageStream,
  task: StartedTask,
  target: PageTarget,
  context: RequestContext,
  { progress, completion }: { readonly progress: ProgressReporter; readonly completion: Completion<T> },
): Promise<Streamed<T>> {
  progress.now('answer');
  const { pipeline, ahead, client } = stream;
  const file = stream.beginFile === undefined ? undefined : await stream.beginFile(task);
  context.file = file;
  const response = await (ahead?.ask(task, context, progress) ?? client.ask(task.request, context));
  progress.now('page');
  const unchanged = unchangedPage(response);
  if (unchanged !== undefined) {
    ahead?.read(unchanged);
    const committing = { end: pageEnd(stream, task, unchanged), signal: context.signal };
    return { completed: completion.complete(task, unchanged, target, committing) };
  }
  pipeline.begin(attemptAt(task, target, context, progress));
  try {
    const result = await readStream(stream, task, response, { target, context, progress, file });
    ahead?.read(result);
    const { signal } = context;
    const completed = completion.complete(task, result, target, { end: pageEnd(stream, task, result), signal });
    if (!(completed instanceof Promise)) return { completed };
    progress.commits();
    return { completed: completed.finally(pipeline.leave()) };
  } finally {
    pipeline.end();
  }
}

interface Attempt {
  /** Undefined: the response has items. */
  readonly file: FileAttempt | undefined;
  readonly target: PageTarget;
  readonly context: RequestContext;
  readonly progress: ProgressReporter;
}

async function readStream(
  stream: PageStream,
  task: StartedTask,
  given: HttpResponse,
  { target, context, progress, file }: Attempt,
): Promise<PageResult> {
  const { pipeline } = stream;
  try {
    const isFile = file !== undefined && hasFile(given);
    const response = isFile ? await file.store(given, progress.reading(given.body)) : given;
    const received = isFile ? response.body : progress.reading(response.body);
    const body = decoded(received, formatOf(stream.format, response).options);
    const judging = judgingOf(stream, response);
    const options = readingOf(stream, task, response, target.sink);
    const read = await readPage(body, pipeline, judging === undefined ? options : { ...options, judge: judging.judge });
    const result = resultOf(stream, task, response, context, read);
    if (judging !== undefined) applyVerdict(result, judging.verdict());
    pipeline.report(result);
    return result;
  } catch (thrown) {
    await pipeline.discard();
    if (isUnreadable(thrown)) await given.forget?.();
    throw described(thrown, given, stream.prefix.strange(), stream.secrets);
  }
}

/** The end of a page, for its sinks. */
export const pageEnd = (
  { job, place }: PageStream,
  { index }: StartedTask,
  { count, bytes }: Pick<PageResult, 'count' | 'bytes'>,
): PageEnd => ({
  run: place.run,
  walk: place.walk,
  page: index,
  job: job.name,
  dataType: job.dataType,
  count,
  bytes,
  lane: place.lane,
});

const attemptAt = (
  { index, walked, room, delivered }: StartedTask,
  { sink, acquire }: PageTarget,
  { signal }: RequestContext,
  progress: ProgressReporter,
): PageAttempt => ({ page: index, memo: walked.memo, room, progress, sink, acquire, signal, delivered });

function readingOf(
  { limits, job, paginator, pipeline, isFingerprinted, ahead, slabs, format, reading }: PageStream,
  task: StartedTask,
  response: HttpResponse,
  sink: Sink,
): PageOptions {
  const { captures, previous } = task;
  const { contentType, isOpenEnded } = response;
  reading.page = task.index;
  return {
    batchBytes: limits.batchBytes,
    maxItemBytes: limits.maxItemBytes,
    maxCaptureBytes: limits.maxCaptureBytes,
    contentType,
    isOpenEnded,
    dataField: job.dataField,
    captures,
    fingerprint: isFingerprinted,
    previous,
    early: ahead?.overlaps === true ? earlyOf(ahead, paginator, task, response) : undefined,
    slabs: isBorrowing(sink.write) ? slabs : undefined,
    format: formatOf(format, response),
    see: pipeline.see,
  };
}

/** What an ignored error says is not in the format of the job. */
const formatOf = (format: FormatSettings, { status }: HttpResponse): FormatSettings =>
  status >= 400 || status === 0 ? { ...format, options: guessedFormat } : format;

/** Undoes what is configured, otherwise what the first bytes show; bytes that are an item stay as they are. */
function decoded(body: ByteSource, options: ResponseFormat): ByteSource {
  if (options.decode.length > 0) return decodedBody(body, options);
  return options.format === 'binary' ? body : guessedBody(body);
}

/** Lets the walk request the next page when the values that it needs have arrived. */
function earlyOf(ahead: Ahead, paginator: Paginator, task: StartedTask, response: HttpResponse): EarlyCaptures {
  const address = addressOf(response);
  const headers = headersOf(response, paginator, []);
  return {
    count: paginator.captures.length,
    onFound: (envelope) => ahead.expect(task, { envelope, headers, address }),
  };
}

const addressOf = ({ address, request }: HttpResponse): string => address ?? bareAddress(request.url);

const isSuccess = ({ status, contentType }: HttpResponse): boolean =>
  status >= 200 && status < 400 && readerOf(contentType) === json;

/** The result before the stages fill in their members. One literal, so that all results have one shape. */
function resultOf(
  { paginator, job, headers }: PageStream,
  { walked, index }: StartedTask,
  response: HttpResponse,
  { credentials }: RequestContext,
  read: PageRead,
): PageResultDraft {
  // A repeated page has the count 0; its chain ends with the number of its items.
  const received = read.repeated ? Number(read.chain.at(-1) ?? 0) : read.count;
  const error = isSuccess(response) ? errorIn({ envelope: read.envelope, received }, job.dataField) : undefined;
  const isPastEnd = index > 0 && paginator.endStatuses?.has(response.status) === true;
  return {
    count: read.count,
    bytes: read.bytes,
    found: read.found,
    pathMiss: read.pathMiss,
    envelope: read.envelope,
    chain: read.chain,
    itemsDigest: read.itemsDigest,
    repeated: read.repeated,
    received,
    cut: 0,
    volume: 0,
    memo: walked.memo,
    followed: undefined,
    rows: undefined,
    lists: noLists,
    address: addressOf(response),
    headers: headersOf(response, paginator, headers),
    error,
    verdict: undefined,
    shifted: 0,
    isApart: false,
    isPastEnd,
    isFailed: !isPastEnd && (error !== undefined || response.status === 0 || response.status >= 400),
    revalidated: response.revalidated,
    sha256: undefined,
    isCached: response.storedAt !== undefined,
    loginNames: credentials === undefined || credentials.query.size === 0 ? noNames : new Set(credentials.query.keys()),
  };
}

const noLists: readonly string[] = [];
const noNames: ReadonlySet<string> = new Set();

/** Adds the request to an error, and the start of a body that is not JSON from its first character. */
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

/** The response headers that the paginator named, and those that show whether more data follows. */
function headersOf(
  { headers }: HttpResponse,
  { headers: names = [] }: Paginator,
  more: readonly string[],
): Page['headers'] {
  let found: Map<string, readonly string[]> | undefined;
  for (const name of [...names, ...more, ...lookedHeaders]) {
    const value = headers[name];
    if (value === undefined || value.length === 0) continue;
    found ??= new Map();
    found.set(name, typeof value === 'string' ? [value] : value);
  }
  return found ?? noHeaders;
}
