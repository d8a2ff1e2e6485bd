/**
 * Commits the pages of a lane, the walks of one top-level job: each sink has its own position in it, the journal too.
 *
 * ```
 *            a page comes    after its commit
 * sink       level           ahead: it has a page that the journal lacks
 * sink       ahead           ahead: it gets no items; the page is compared with its version
 * journal    behind          level: its record is written when every sink is ahead
 * ```
 *
 * A sink that is not ahead after its commit has lost the page: the page is read again for the sinks that are level.
 */
import { defer, of } from 'rxjs';
import type { PageEnd, Sink } from '../../../sinks/contract.js';
import { hasRequestLetter, holdsLetters } from '../../../sinks/decorators/dead-letters.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { inSink, throwSinkError } from '../../../sinks/errors.js';
import { nullSink } from '../../../sinks/null.js';
import { checkpointOf } from '../../../sinks/recovery.js';
import { isJoined, isSamePage, keepIn, markAfter } from '../../checkpoint/lane-marks.js';
import type { LaneMark, PageDraft } from '../../checkpoint/records.js';
import type { Journal } from '../../checkpoint/run-journal.js';
import { positionsIn } from '../../checkpoint/sink-positions.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { Exact } from '../../core/json/exact.js';
import type { Notify } from '../../core/model/notice.js';
import { type CommitOutcome, type PageTarget, sameTarget, type TargetSource } from './page-target.js';

/** What to do if a sink has another version of a page: fail, or send the page again. */
export type ChangedPageRule = 'fail' | 'again';

/** The target of the pages of a lane. */
export interface LaneOptions extends Pick<PageTarget, 'sink' | 'acquire'> {
  readonly sinks: readonly Sink[];
  readonly journal: Journal;
  readonly notify: Notify;
  readonly onChangedPage: ChangedPageRule;
  /** The top-level job. */
  readonly job: string;
}

/** One sink of the lane. */
interface SinkLane {
  readonly sink: Sink;
  readonly number: number;
  /** What its last commit returned, until the record of that page is written. */
  checkpoint: Exact | undefined;
  /** Its last commit failed. `keep`: what it was to store. */
  failure: { readonly thrown: unknown; readonly keep: string | undefined } | undefined;
}

interface Lane extends Pick<LaneOptions, 'journal' | 'notify' | 'onChangedPage' | 'job'> {
  readonly sinkLanes: readonly SinkLane[];
  /** How often the page in progress was lost. */
  losses: number;
}

/** The output of all walks of a top-level job. A lane of which no sink can be ahead has one target for all pages. */
export function laneOutput(options: LaneOptions): TargetSource {
  const { sink, acquire, journal, job } = options;
  const sinkLanes = options.sinks.map((each, number) => ({
    sink: each,
    number,
    checkpoint: undefined,
    failure: undefined,
  }));
  const lane: Lane = { ...options, sinkLanes, losses: 0 };
  const overlaps = sinkLanes.some(isTransactional);
  const canBeAhead = journal.isKept && (journal.aheadOf(job).size > 0 || overlaps);
  if (!canBeAhead) {
    return sameTarget({
      sink,
      acquire,
      overlaps,
      commit: (page, draft, signal) => commitPage(lane, { page, draft, signal, level: sinkLanes }),
    });
  }
  const turn = createKeptTurn(acquire);
  return {
    page: () =>
      defer(() => {
        const ahead = journal.aheadOf(job);
        const level = sinkLanes.filter(({ number }) => !ahead.has(number));
        const commit: PageTarget['commit'] = async (page, draft, signal) => {
          const outcome = await commitPage(lane, { page, draft, signal, level });
          turn.after(outcome);
          return outcome;
        };
        const { acquire } = turn;
        return of(ahead.size === 0 ? { sink, acquire, overlaps, commit } : { sink: sinkOf(level), acquire, commit });
      }),
  };
}

const isTransactional = ({ sink }: SinkLane): boolean => sink.recovery === 'transaction';

const sinkOf = (level: readonly SinkLane[]): Sink =>
  level.length === 0 ? nullSink() : all(level.map(({ sink }) => sink));

/** A page that is read again keeps the turn of its data type, so that no other lane writes in between. */
function createKeptTurn(acquire: PageTarget['acquire']) {
  let kept: (() => void) | undefined;
  let isReadAgain = false;
  return {
    acquire: async (dataType: string, signal: AbortSignal) => {
      const release = kept ?? (await acquire(dataType, signal));
      kept = undefined;
      isReadAgain = false;
      return () => {
        if (isReadAgain) kept = release;
        else release();
      };
    },
    /** A page that has no items at its second reading does not acquire its turn: this releases the kept one. */
    after(outcome: CommitOutcome) {
      isReadAgain = outcome === 'again';
      if (isReadAgain) return;
      kept?.();
      kept = undefined;
    },
  };
}

/** A page that has reached the sinks that are level. `draft`: undefined without a journal. */
interface LanePage {
  readonly page: PageEnd;
  readonly draft: PageDraft | undefined;
  readonly signal: AbortSignal;
  readonly level: readonly SinkLane[];
  /** A sink that was ahead has another version of it, and gets the page again. */
  readonly isChanged?: true;
}

/** Commits to the sinks in parallel, then to the journal. Returns a promise only if something waits. */
function commitPage(lane: Lane, request: LanePage): CommitOutcome | Promise<CommitOutcome> {
  const { page, level } = request;
  if (hasRequestLetter(page)) return commitLetter(lane, request);
  if (page.count === 0) return record(lane, request);
  const isCompared = level.length < lane.sinkLanes.length;
  const hasKeep = lane.journal.isKept && level.some(isTransactional);
  return isCompared || hasKeep ? commitMarked(lane, request, hasKeep) : commitTo(lane, request, level);
}

/**
 * Commits the letter of a request that failed to the sink of letters, then to the journal. Its page concerns no other
 * sink, so it does not count in their positions. A failure ends the run.
 */
async function commitLetter(lane: Lane, request: LanePage): Promise<CommitOutcome> {
  const { page, signal } = request;
  for (const own of lane.sinkLanes.filter(({ sink }) => holdsLetters(sink))) {
    accept(own, lane.journal, await inSink(() => own.sink.commit?.(page, signal)));
  }
  return record(lane, request);
}

/** Compares the page with that of sinks that are ahead, and makes what sinks with transactions store with it. */
async function commitMarked(lane: Lane, request: LanePage, hasKeep: boolean): Promise<CommitOutcome> {
  const { journal } = lane;
  const draft = draftOf(request);
  const changed = changedSink(lane, request);
  if (changed === undefined) {
    return commitTo(lane, request, request.level, hasKeep ? await journal.keepOf(draft) : undefined);
  }
  await journal.weaken(changed);
  journal.mark(changed, draft.job, undefined);
  // The page is read again for that sink. Sinks that cannot roll it back commit it now.
  const lasting = request.level.filter(({ sink }) => sink.commit === undefined || sink.rollback === undefined);
  return commitTo(lane, { ...request, isChanged: true }, lasting);
}

/**
 * The sink that is ahead with another version of the page, and gets the page again. Throws ERR_PAGE_CHANGED if the two
 * versions cannot be joined and `onChangedPage` is `fail`.
 */
function changedSink(lane: Lane, request: LanePage): number | undefined {
  const { journal, notify, onChangedPage, job } = lane;
  const { page } = request;
  const own = markOf(lane, request);
  for (const [number, mark] of journal.aheadOf(job)) {
    if (mark.m !== own.m || isSamePage(mark, own)) continue;
    const joins = isJoined(mark, own);
    if (!joins && onChangedPage === 'fail') throw pageChanged(page);
    const what = joins ? 'its next request is the same, so the run continues after it' : 'the sink gets it again';
    const message = `a page that the sink has already was requested again and has changed; ${what}`;
    notify({ level: 'info', code: 'page-changed', message, job: page.job, page: page.page });
    if (!joins) return number;
  }
  return undefined;
}

function commitTo(
  lane: Lane,
  request: LanePage,
  sinkLanes: readonly SinkLane[],
  keep?: string,
): CommitOutcome | Promise<CommitOutcome> {
  let waiting: Promise<unknown> | undefined;
  for (const each of sinkLanes) {
    const committing = commitIn(lane, each, request, keep);
    if (committing !== undefined) waiting = waiting === undefined ? committing : Promise.all([waiting, committing]);
  }
  if (waiting === undefined) return afterCommits(lane, request, sinkLanes);
  return waiting.then(() => afterCommits(lane, request, sinkLanes));
}

/** A failure is an outcome: the other sinks commit all the same. Returns a promise only if the sink does. */
function commitIn(
  { journal }: Lane,
  own: SinkLane,
  { page, signal }: LanePage,
  keep: string | undefined,
): Promise<void> | undefined {
  const { sink } = own;
  const end = keep !== undefined && isTransactional(own) ? withKeep(page, keep, sink.keepBytes) : page;
  try {
    const result = inSink(() => sink.commit?.(end, signal));
    if (result instanceof Promise) {
      return result.then((value) => accept(own, journal, value)).catch((thrown) => fail(own, thrown, end));
    }
    accept(own, journal, result);
  } catch (thrown) {
    fail(own, thrown, end);
  }
  return undefined;
}

/** Throws ERR_SINK for a checkpoint that the journal cannot store. */
function accept(own: SinkLane, { isKept }: Journal, result: unknown): void {
  own.checkpoint = isKept ? checkpointOf(own.sink, result) : undefined;
  own.failure = undefined;
}

function fail(own: SinkLane, thrown: unknown, { keep }: PageEnd): void {
  own.checkpoint = undefined;
  own.failure = { thrown, keep };
}

/** Drops `progress` from a `keep` that is too long for the sink: after a crash the page is requested again. */
function withKeep(page: PageEnd, keep: string, most = Number.POSITIVE_INFINITY): PageEnd {
  if (Buffer.byteLength(keep) <= most) return { ...page, keep };
  const { m, print } = keepIn(keep) ?? { m: 0, print: '' };
  return { ...page, keep: JSON.stringify({ m, print }) };
}

const hasFailed = ({ failure }: SinkLane): boolean => failure !== undefined;

function afterCommits(
  lane: Lane,
  request: LanePage,
  committed: readonly SinkLane[],
): CommitOutcome | Promise<CommitOutcome> {
  if (committed.some(hasFailed)) return afterFailures(lane, request, committed);
  return request.isChanged === true ? readAgain(lane, request, committed) : record(lane, request);
}

/** Asks the sinks whose commit failed. The others have the page. Throws ERR_SINK at the 4th loss of a page. */
async function afterFailures(lane: Lane, request: LanePage, committed: readonly SinkLane[]): Promise<CommitOutcome> {
  for (const each of committed) {
    if (each.failure !== undefined && (await holdsPage(lane, each, request))) each.failure = undefined;
  }
  const lost = committed.find(hasFailed)?.failure;
  if (lost === undefined) return afterCommits(lane, request, committed);
  lane.losses += 1;
  if (lane.losses > mostLosses) throwSinkError(lost.thrown);
  return readAgain(lane, request, committed);
}

/** How often a page is read again for the sinks that have lost it. */
const mostLosses = 3;

/**
 * Whether the sink holds what it was to store: with another version of the page, `m` would be the same. Throws ERR_SINK
 * if the sink cannot report what it holds.
 */
async function holdsPage({ journal, job }: Lane, { sink, failure }: SinkLane, { signal }: LanePage): Promise<boolean> {
  // After an interruption the next process asks: a server that is gone is waited for.
  const mayAsk = journal.isKept && !signal.aborted;
  const positions = mayAsk ? await positionsIn(sink).catch(() => undefined) : undefined;
  if (positions === undefined) return throwSinkError(failure?.thrown);
  const text = positions.get(journal.laneOf(job));
  return text !== undefined && text === failure?.keep;
}

/** The sinks that have committed the page are ahead. The others roll it back, and stay level. */
async function readAgain(lane: Lane, request: LanePage, committed: readonly SinkLane[]): Promise<CommitOutcome> {
  const { page, level } = request;
  const mark = markOf(lane, request);
  for (const each of level) {
    const isAhead = committed.includes(each) && !hasFailed(each);
    if (isAhead) lane.journal.mark(each.number, draftOf(request).job, mark);
    else await inSink(() => each.sink.rollback?.(page.dataType));
  }
  return 'again';
}

/** Writes the record of the page: the journal is level with all sinks. A page without items or letter concerns none. */
function record(lane: Lane, request: LanePage): CommitOutcome | Promise<CommitOutcome> {
  const { journal } = lane;
  if (!journal.isKept) return 'done';
  const { page } = request;
  const waiting = journal.append(draftOf(request), isEmpty(page) ? undefined : takeCheckpoints(lane, page));
  return waiting === undefined ? 'done' : waiting.then(() => 'done' as const);
}

const isEmpty = (page: PageEnd): boolean => page.count === 0 && !hasRequestLetter(page);

function takeCheckpoints(lane: Lane, { dataType }: PageEnd) {
  const checkpoints = lane.sinkLanes.map(({ checkpoint }) => checkpoint);
  for (const each of lane.sinkLanes) each.checkpoint = undefined;
  lane.losses = 0;
  return { dataType, checkpoints };
}

/** The mark of a sink that has the page. */
const markOf = ({ journal, job }: Lane, request: LanePage): LaneMark =>
  markAfter(journal.pagesOf(job) + 1, draftOf(request));

function draftOf({ draft }: LanePage): PageDraft {
  if (draft === undefined) throw new ExtractError('ERR_INTERNAL', 'a page without its record');
  return draft;
}

const pageChanged = ({ job, page }: PageEnd) =>
  new ExtractError(
    'ERR_PAGE_CHANGED',
    'a page that the sink has already was requested again and has changed, and leads to another page. Use --on-changed-page again (in code `onChangedPage`) to send it again: items may arrive twice',
    { job, page },
  );

/**
 * Compares what sinks have with the complete lane, which no limit has ended. Throws ERR_PAGE_CHANGED if a sink has more
 * pages and lacks the end of its version; with `again` it reports that.
 */
export function mustReachMarks({ journal, job, onChangedPage, notify }: LaneOptions): void {
  for (const [index, mark] of journal.aheadOf(job)) {
    const counts = `the sink has ${mark.m} pages with items of job "${job}", and by now there are ${journal.pagesOf(job)}`;
    if (mark.isEnd === true) {
      const message = `${counts}; it has that job to its end, so the run continues`;
      notify({ level: 'info', code: 'page-changed', message, job });
      continue;
    }
    if (onChangedPage === 'fail') {
      const advice = 'Use --on-changed-page again (in code `onChangedPage`) to accept that: items may arrive twice';
      throw new ExtractError('ERR_PAGE_CHANGED', `${counts}. ${advice}`, { job });
    }
    // A journal that cannot be written fails the run at its end.
    journal.weaken(index).catch(() => {});
    notify({ level: 'info', code: 'page-changed', message: counts, job });
  }
}
