/** Commits the pages of one lane: which sinks get a page, its commit, its record in the journal. */
import { defer, of } from 'rxjs';
import type { PageEnd, Sink } from '../../sinks/contract.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { inSink, throwSinkError } from '../../sinks/errors.js';
import { nullSink } from '../../sinks/null.js';
import { checkpointOf } from '../../sinks/recovery.js';
import { settleAll } from '../../sinks/settle.js';
import { heldBy } from '../checkpoint/held-lanes.js';
import { isJoined, keepIn, markAfter } from '../checkpoint/lane-marks.js';
import type { LaneMark, PageDraft } from '../checkpoint/records.js';
import type { Journal } from '../checkpoint/run-journal.js';
import { ExtractError } from '../core/errors/errors.js';
import type { Exact } from '../core/json/exact.js';
import type { Notify } from '../core/model/notice.js';
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

/** The output of all walks of a top-level job. */
export function laneOutput(options: LaneOptions): TargetSource {
  const { sink, sinks, acquire, journal, job } = options;
  if (!journal.isKept) {
    return sameTarget({ sink, acquire, commit: (page, _, signal) => commitPlainly(sinks, page, signal) });
  }
  const isSimple = journal.aheadOf(job).size === 0 && !sinks.some(({ recovery }) => recovery === 'transaction');
  return isSimple ? sameTarget({ sink, acquire, commit: simpleCommit(options) }) : createLane(options);
}

/** Commits to all sinks in parallel, without a journal. Returns a promise only if a sink does. */
function commitPlainly(
  sinks: readonly Sink[],
  page: PageEnd,
  signal: AbortSignal,
): CommitOutcome | Promise<CommitOutcome> {
  if (page.count === 0) return 'done';
  const waiting: Promise<unknown>[] = [];
  for (const sink of sinks) {
    const committed = committing(sink, page, signal);
    if (committed instanceof Promise) waiting.push(committed);
  }
  return waiting.length === 0 ? 'done' : settleAll(waiting).then(() => 'done' as const);
}

/** A failure is a rejection: the other sinks commit all the same, and none commits when the run ends. */
function committing(sink: Sink, page: PageEnd, signal: AbortSignal): unknown {
  try {
    return inSink(() => sink.commit?.(page, signal));
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** How often a page with a failed commit is sent again. */
const mostFailures = 3;

/** The outcome of a commit in one sink. `keep`: what it was to store. */
type Committed =
  | { readonly said: Exact | undefined }
  | { readonly thrown: unknown; readonly keep?: string | undefined };

interface LaneState {
  /** What sinks returned for a page that another sink has lost, by number. */
  readonly said: Map<number, Exact | undefined>;
  failures: number;
  /** The turn that a page keeps until it is read again. */
  turn: (() => void) | undefined;
  keepsTurn: boolean;
}

/** A sink that is ahead of the journal gets no page until the journal has caught up. */
function createLane(options: LaneOptions): TargetSource {
  const { sink, sinks, journal, job } = options;
  const state: LaneState = { said: new Map(), failures: 0, turn: undefined, keepsTurn: false };
  const everyone = sinks.map((_, index) => index);
  const acquire = keepingTurn(options, state);
  const target = (to: Sink, lacking: readonly number[]): PageTarget => ({
    sink: to,
    acquire,
    async commit(page, draft, signal) {
      const outcome = await commitKept(options, state, lacking, { page, draft: recordOf(draft), signal });
      state.keepsTurn = outcome === 'again';
      if (outcome === 'done') releaseTurn(state);
      return outcome;
    },
  });
  const toAll = target(sink, everyone);
  return {
    page: () =>
      defer(() => {
        const ahead = journal.aheadOf(job);
        if (ahead.size === 0) return of(toAll);
        const lacking = everyone.filter((index) => !ahead.has(index));
        const chosen = lacking.flatMap((index) => sinks[index] ?? []);
        return of(target(chosen.length === 0 ? nullSink() : all(chosen), lacking));
      }),
  };
}

/** A page that is read again keeps the turn of its data type, so that no other lane writes in between. */
function keepingTurn({ acquire }: LaneOptions, state: LaneState): PageTarget['acquire'] {
  return async (dataType, signal) => {
    const release = state.turn ?? (await acquire(dataType, signal));
    state.turn = undefined;
    state.keepsTurn = false;
    return () => {
      if (state.keepsTurn) state.turn = release;
      else release();
    };
  };
}

/** A page that has no items at its second reading does not acquire its turn: this releases the kept one. */
function releaseTurn(state: LaneState): void {
  state.turn?.();
  state.turn = undefined;
}

interface CommitRequest {
  readonly page: PageEnd;
  readonly draft: PageDraft;
  readonly signal: AbortSignal;
}

function recordOf(draft: PageDraft | undefined): PageDraft {
  if (draft === undefined) throw new ExtractError('ERR_INTERNAL', 'a page without its record');
  return draft;
}

/**
 * Commits to the sinks in parallel, then writes one record. No sink is ahead of the journal or has transactions, so no
 * page is read again. The page keeps its turn until the record is written. Returns a promise only if it must wait.
 */
function simpleCommit({ sinks, journal }: LaneOptions): PageTarget['commit'] {
  return (page, draft, signal) => {
    const request = { page, draft: recordOf(draft), signal };
    if (page.count === 0) return doneAfter(journal.append(request.draft, undefined));
    const outcomes = sinks.map((sink) => commitOne(sink, request, undefined));
    const record = (settled: readonly Committed[]) => {
      const checkpoints = settled.map((each) => ('thrown' in each ? throwSinkError(each.thrown) : each.said));
      return doneAfter(journal.append(request.draft, { dataType: page.dataType, checkpoints }));
    };
    return areSettled(outcomes) ? record(outcomes) : Promise.all(outcomes).then(record);
  };
}

const areSettled = (outcomes: readonly (Committed | Promise<Committed>)[]): outcomes is readonly Committed[] =>
  !outcomes.some((each) => each instanceof Promise);

const doneAfter = (waiting: void | Promise<void>): CommitOutcome | Promise<CommitOutcome> =>
  waiting === undefined ? 'done' : waiting.then(() => 'done' as const);

/** As `simpleCommit`, for sinks that may be ahead of the journal or have transactions. */
async function commitKept(
  options: LaneOptions,
  state: LaneState,
  lacking: readonly number[],
  request: CommitRequest,
): Promise<CommitOutcome> {
  const { sinks, journal } = options;
  const { page, draft } = request;
  if (page.count === 0) {
    await journal.append(draft, undefined);
    return 'done';
  }
  if (lacking.length < sinks.length && !(await agrees(options, lacking, request))) return 'again';
  const hasHolder = lacking.some((index) => sinks[index]?.recovery === 'transaction');
  const keep = hasHolder ? await journal.keepOf(draft) : undefined;
  const outcomes = await Promise.all(lacking.map((index) => commitOne(sinks[index], request, keep)));
  const lost = outcomes.some((each) => 'thrown' in each)
    ? await lostBy(options, lacking, outcomes, request.signal)
    : [];
  for (const [at, index] of lacking.entries()) {
    const outcome = outcomes[at];
    if (!lost.includes(index))
      state.said.set(index, outcome !== undefined && 'said' in outcome ? outcome.said : undefined);
  }
  if (lost.length > 0) return sendAgain(options, state, { lacking, lost, outcomes }, request);
  const checkpoints = sinks.map((_, index) => state.said.get(index));
  await journal.append(draft, { dataType: page.dataType, checkpoints });
  state.said.clear();
  state.failures = 0;
  return 'done';
}

/** Returns a promise only if the sink does. */
function commitOne(
  sink: Sink | undefined,
  { page, signal }: CommitRequest,
  keep: string | undefined,
): Committed | Promise<Committed> {
  const end = sink?.recovery === 'transaction' && keep !== undefined ? withKeep(page, keep, sink.keepBytes) : page;
  const failed = (thrown: unknown) => ({ thrown, keep: end.keep });
  const checked = (result: unknown) => ({ said: checkpointOf(sink, result) });
  try {
    const said = inSink(() => sink?.commit?.(end, signal));
    return said instanceof Promise ? said.then(checked).catch(failed) : checked(said);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** Drops `progress` from a `keep` that is too long for the sink: after a crash the page is requested again. */
function withKeep(page: PageEnd, keep: string, most = Number.POSITIVE_INFINITY): PageEnd {
  if (Buffer.byteLength(keep) <= most) return { ...page, keep };
  const { m, print } = keepIn(keep) ?? { m: 0, print: '' };
  return { ...page, keep: JSON.stringify({ m, print }) };
}

/**
 * The sinks that failed to commit and do not hold what they were to store: with another version of the page, `m` would
 * be the same. Throws ERR_SINK if a sink cannot report what it holds.
 */
async function lostBy(
  { sinks, journal, job }: LaneOptions,
  lacking: readonly number[],
  outcomes: readonly Committed[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const lost: number[] = [];
  for (const [at, index] of lacking.entries()) {
    const [sink, outcome] = [sinks[index], outcomes[at]];
    if (outcome === undefined || !('thrown' in outcome)) continue;
    const mayAsk = sink !== undefined && !signal.aborted; // The next process asks: a server that is gone is waited for.
    const held = mayAsk ? await heldBy(sink).catch(() => undefined) : undefined;
    if (held === undefined) throwSinkError(outcome.thrown);
    const text = held.get(journal.laneOf(job));
    if (text === undefined || text !== outcome.keep) lost.push(index);
  }
  return lost;
}

interface Lost {
  readonly lacking: readonly number[];
  readonly lost: readonly number[];
  readonly outcomes: readonly Committed[];
}

/** Marks the sinks that have the page; it is read again for the others. Throws ERR_SINK at the 4th failure. */
async function sendAgain(
  { sinks, journal, job }: LaneOptions,
  state: LaneState,
  { lacking, lost, outcomes }: Lost,
  { page, draft }: CommitRequest,
): Promise<CommitOutcome> {
  state.failures += 1;
  const failed = outcomes.find((each) => 'thrown' in each);
  if (state.failures > mostFailures && failed !== undefined && 'thrown' in failed) throwSinkError(failed.thrown);
  const mark = markAfter(journal.pagesOf(job) + 1, draft);
  for (const index of lacking) if (!lost.includes(index)) journal.mark(index, draft.job, mark);
  for (const index of lost) await inSink(() => sinks[index]?.rollback?.(page.dataType));
  return 'again';
}

/**
 * Compares the page with the last one of each sink that is ahead. False: that sink gets the page again, so it must be
 * read again. Throws ERR_PAGE_CHANGED if the two versions cannot be joined and `onChangedPage` is `fail`.
 */
async function agrees(options: LaneOptions, lacking: readonly number[], request: CommitRequest): Promise<boolean> {
  const { journal, notify, onChangedPage, job } = options;
  const { page, draft } = request;
  const m = journal.pagesOf(job) + 1;
  const now = markAfter(m, draft);
  const where = { job: page.job, page: page.page } as const;
  for (const [index, mark] of [...journal.aheadOf(job)]) {
    if (mark.m !== m || mark.print === now.print) continue;
    const joins = isJoined(mark, now);
    if (!joins && onChangedPage === 'fail') throw pageChanged(page);
    const what = joins ? 'its next request is the same, so the run continues after it' : 'the sink gets it again';
    const message = `a page that the sink has already was requested again and has changed; ${what}`;
    notify({ level: 'info', code: 'page-changed', message, ...where });
    if (joins) continue;
    await journal.weaken(index);
    await readAgainFor(options, index, lacking, { now, request });
    return false;
  }
  return true;
}

/** Prepares another reading of a page before its commit: sinks with `rollback` roll it back, others commit it. */
async function readAgainFor(
  { sinks, journal }: LaneOptions,
  index: number,
  lacking: readonly number[],
  { now, request }: { readonly now: LaneMark; readonly request: CommitRequest },
): Promise<void> {
  const { page, draft } = request;
  journal.mark(index, draft.job, undefined);
  const canRollBack = (each: number) => sinks[each]?.commit !== undefined && sinks[each]?.rollback !== undefined;
  for (const each of lacking.filter(canRollBack)) await inSink(() => sinks[each]?.rollback?.(page.dataType));
  for (const each of lacking.filter((number) => !canRollBack(number))) {
    const outcome = await commitOne(sinks[each], request, undefined);
    if ('thrown' in outcome) throwSinkError(outcome.thrown);
    journal.mark(each, draft.job, now);
  }
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
