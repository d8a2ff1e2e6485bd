/** Answers the requests of a run from a recording, in virtual time and without a connection. docs/decisions/034. */
import { ExtractError } from '../core/errors/errors.js';
import type { HttpRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { maskText } from '../core/secrets/secrets.js';
import { sourceOf } from '../core/util/byte-source.js';
import type { EngineExchanges, Exchanges, RecordingContext } from '../http/exchanges.js';
import { abortedError, type RequestContext } from '../http/request-context.js';
import { limitBytes } from '../http/transport/size-limit.js';
import type { Handler, HttpBody, HttpResponse, ResponseHeaders } from '../http/types.js';
import { type ReplayClock, startReplayClock } from './clock.js';
import { differences, isSameTarget, maskRequest, ofWholeFile } from './mask-request.js';
import { createRandom } from './random.js';
import { type RecordedExchange, type Recording, readRecording } from './recorded-exchanges.js';
import type { EndLine, FaultLine, HeadLine, MaskedRequest } from './recording-lines.js';

export interface ReplayOptions {
  /** When the run begins, in epoch ms; the exchanges follow at their distances. Absent: when the recorded run began. */
  readonly startedAt?: number | undefined;
}

/**
 * Replays the recording at `path`: each request gets the response that an equal one got, and waits cost nothing. Create
 * it right before the run: from here on, until `close`, `asyncScheduler` of this process shows the time of the
 * recording. Rejects with ERR_RECORDING. A request that was not recorded fails with ERR_REPLAY.
 */
export async function replayExchanges(path: string, { startedAt }: ReplayOptions = {}): Promise<Exchanges> {
  const recording = await readRecording(path);
  const { begin } = recording;
  const start = startedAt ?? begin.startedAt;
  const clock = startReplayClock(start);
  const pool = createPool(recording, path);
  const at = (recorded: number) => recorded - begin.startedAt + start;
  const exchanges: EngineExchanges = {
    isReplay: true,
    random: createRandom(begin.seed),
    around: (_, shared) => replayFrom({ path, clock, at, take: pool.take, shared }),
    async close() {
      clock.stop();
      await recording.close();
      return pool.summary();
    },
  };
  return exchanges;
}

/** The exchanges that no request has asked for yet. */
function createPool({ exchanges }: Recording, path: string) {
  const left = new Set(exchanges);
  const byTarget = new Map<string, RecordedExchange[]>();
  for (const each of exchanges) {
    const key = targetOf(each.request);
    byTarget.set(key, [...(byTarget.get(key) ?? []), each]);
  }
  const withMask = exchanges.filter(({ request }) => targetOf(request).includes(maskText));
  let masked = 0;
  const take = (asked: MaskedRequest): RecordedExchange => {
    const same = byTarget.get(targetOf(asked))?.filter((each) => left.has(each)) ?? [];
    const similar =
      same.length > 0 ? same : withMask.filter((each) => left.has(each) && isSameTarget(each.request, asked));
    const found = similar.find(({ request }) => differences(request, asked).length === 0);
    if (found === undefined) {
      const uses = byTarget.get(targetOf(asked))?.length ?? 0;
      const candidates = similar.length > 0 ? similar : [...left];
      throw unrecorded(asked, { path, uses, candidates, all: exchanges.length });
    }
    left.delete(found);
    if (found.isMasked) masked += 1;
    return found;
  };
  const summary = () => {
    const unusedRequests = [...left].map(({ request: { method, url } }) => `${method} ${url}`);
    return { exchanges: exchanges.length - left.size, masked, unused: left.size, unusedRequests };
  };
  return { take, summary };
}

const targetOf = ({ method, url, body }: MaskedRequest): string => JSON.stringify([method, url, body ?? null]);

interface Unrecorded {
  readonly path: string;
  /** How often the same request was recorded. */
  readonly uses: number;
  readonly candidates: readonly RecordedExchange[];
  /** How many exchanges the recording has. */
  readonly all: number;
}

/** Names the recorded request with the fewest differences. */
function unrecorded(asked: MaskedRequest, { path, uses, candidates, all }: Unrecorded): ExtractError {
  const request = `${asked.method} ${asked.url}`;
  const compared = candidates.map((each) => ({ each: each.request, found: differences(each.request, asked) }));
  const nearest = compared.reduce<(typeof compared)[number] | undefined>(
    (best, each) => (best === undefined || each.found.length < best.found.length ? each : best),
    undefined,
  );
  const near =
    nearest === undefined
      ? [all === 0 ? 'It has no request at all: record again.' : 'All recorded requests are replayed already.']
      : [`The nearest one is ${nearest.each.method} ${nearest.each.url}`, ...nearest.found];
  const used = uses > 0 && nearest?.each.url !== asked.url ? [`Its ${counted(uses)} replayed already.`] : [];
  const message = [`${request}: ${path} has no such request`, ...used, ...near].join('\n');
  return new ExtractError('ERR_REPLAY', message, { request });
}

const counted = (uses: number): string => (uses === 1 ? 'only response is' : `${uses} responses are`);

interface ReplayContext {
  readonly path: string;
  readonly clock: ReplayClock;
  /** The time in this run, in epoch ms, of a time in the recording. */
  at(recorded: number): number;
  readonly take: (asked: MaskedRequest) => RecordedExchange;
  readonly shared: RecordingContext;
}

const replayFrom =
  (replay: ReplayContext): Handler =>
  async (request, context) => {
    const { clock, at, take, shared } = replay;
    if (context.isCancelled) throw abortedOf(request, context, shared.secrets);
    const exchange = take(maskRequest(ofWholeFile(request, context), shared.secrets));
    context.slot?.begin();
    context.hasBegun = true;
    if (context.hold !== undefined) context.hold.hasBegun = true;
    clock.moveTo(at(exchange.request.at));
    const { head, end } = exchange;
    if (head === undefined) return await withoutHead(exchange, request, replay, context);
    await arriving(clock.reach(at(head.at)), request, context, shared.secrets);
    if (head.status >= 200) context.slot?.begin();
    const body = replayedBody({ exchange, head, end }, request, replay, context);
    const headers: ResponseHeaders = Object.fromEntries(
      Object.entries(head.headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    );
    const type = headers['content-type'];
    const contentType = typeof type === 'string' ? type : type?.[0];
    const digest = end?.line === 'end' ? end.file : undefined;
    const response = { status: head.status, headers, contentType, request, isOpenEnded: head.openEnded === true, body };
    return digest === undefined ? response : { ...response, digest };
  };

/** A request that failed, or that the recorded run has left. */
async function withoutHead(
  { end }: RecordedExchange,
  request: HttpRequest,
  { path, clock, at, shared: { secrets } }: ReplayContext,
  context: RequestContext,
): Promise<HttpResponse> {
  if (end?.line === 'fault') {
    await arriving(clock.reach(at(end.at)), request, context, secrets);
    throw faultOf(end);
  }
  const isAhead = context.hold !== undefined && end?.line === 'left';
  // A request ahead that the recorded run cancelled is cancelled here too.
  if (isAhead) return await arriving(new Promise<never>(() => undefined), request, context, secrets);
  throw stopped(path, secrets.maskUrl(request.url), 'before this response');
}

/** Rejects with ERR_ABORTED when the request is cancelled meanwhile. */
function arriving<T>(event: Promise<T>, request: HttpRequest, context: RequestContext, secrets: Secrets): Promise<T> {
  return new Promise((resolve, reject) => {
    const active = { abort: () => reject(abortedOf(request, context, secrets)) };
    context.active = active;
    event.then((value) => {
      if (context.active === active) context.active = undefined;
      resolve(value);
    }, reject);
  });
}

const abortedOf = ({ method, url }: HttpRequest, { reason }: RequestContext, secrets: Secrets): ExtractError =>
  abortedError(`${method} ${secrets.maskUrl(url)}`, reason);

function replayedBody(
  { exchange, head, end }: { exchange: RecordedExchange; head: HeadLine; end: EndLine | FaultLine | undefined },
  request: HttpRequest,
  { path, clock, at, shared }: ReplayContext,
  context: RequestContext,
): HttpBody {
  let isCancelled = false;
  async function* chunks() {
    let release = clock.hold();
    try {
      for await (const part of exchange.parts()) {
        release();
        if (isCancelled || context.isCancelled) throw abortedOf(request, context, shared.secrets);
        yield part;
        release = clock.hold();
      }
    } finally {
      release();
    }
    if (end === undefined || end.line === 'left') {
      throw stopped(path, shared.secrets.maskUrl(request.url), 'within this response');
    }
    await clock.reach(at(end.at));
    if (end.line === 'fault') throw faultOf(end);
  }
  const hasBody = request.method !== 'HEAD' && head.status !== 204;
  const whole = sourceOf(chunks());
  const body = shared.maxBodyBytes === undefined || !hasBody ? whole : limitBytes(whole, shared.maxBodyBytes);
  return {
    read(take) {
      context.hold?.read();
      return body.read(take);
    },
    cancel() {
      isCancelled = true;
    },
  };
}

const faultOf = ({ code, message, where }: FaultLine): ExtractError => new ExtractError(code, message, where);

const stopped = (path: string, url: string, where: string): ExtractError =>
  new ExtractError('ERR_RECORDING', `${path}: the recorded run ended ${where}: ${url}`, { request: url });
