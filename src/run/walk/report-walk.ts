/**
 * Walks a job with `await`: creates a report, polls until it is done, and walks what it consists of, as child walks
 * below a page that is never requested. docs/14-any-response.md#reports.
 */
import {
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  expand,
  filter,
  NEVER,
  type Observable,
  of,
  take,
  tap,
  timer,
} from 'rxjs';
import type { ReportConfig } from '../../config/report/read-report.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { Receipt } from '../../core/model/page.js';
import type { Partition } from '../../job/partitions.js';
import { meets } from '../../language/condition/response-condition.js';
import { walkInOrder } from './child-walks.js';
import { partWalks, type WalkOnce } from './part-walks.js';
import { createReportRequests, type ReportRequests } from './report-requests.js';
import type { ReportValues } from './report-values.js';
import type { ReportAnswer } from './send-report-request.js';
import { isBounded, type RunScope, type WalkTask } from './walk-context.js';

interface Reporting {
  readonly run: RunScope;
  readonly task: WalkTask;
  readonly report: ReportConfig;
  readonly requests: ReportRequests;
  readonly walkOnce: WalkOnce;
}

/** The totals of the job begin and end here: those of its walks are within. */
export function walkReport(
  run: RunScope,
  task: WalkTask,
  report: ReportConfig,
  walkOnce: WalkOnce,
): Observable<Receipt> {
  return defer(() => {
    const { name } = task.config;
    run.totals.start(name);
    const requests = createReportRequests(run, task, report);
    const reporting: Reporting = { run, task, report, requests, walkOnce };
    const stored = requests.stored();
    const fresh = { ...reporting, task: { ...task, resumed: undefined } };
    const walks = stored === undefined ? createAndWalk(fresh) : continueAt(reporting, fresh, stored);
    return walks.pipe(tap({ complete: () => run.totals.end(name) }));
  });
}

function createAndWalk(fresh: Reporting): Observable<Receipt> {
  return fresh.requests
    .create()
    .pipe(concatMap((values) => pollOnce(fresh, values).pipe(concatMap((first) => walkItems(fresh, values, first)))));
}

/** Polls the report that an earlier process has created. One that is gone is created anew, if none of it is written. */
function continueAt(reporting: Reporting, fresh: Reporting, values: ReportValues): Observable<Receipt> {
  const { run, task, requests } = reporting;
  const { report: stored, child } = task.resumed ?? {};
  if (stored?.isFetched === true) return requests.remove(values);
  return pollOnce(reporting, values).pipe(
    catchError((thrown) => {
      const error = asExtractError(thrown);
      if (!isGone(error)) throw error;
      if (child !== undefined) throw partlyWritten(error);
      const message = `the report that an earlier process has created is gone, and is created anew: ${error.message}`;
      run.context.notify({ level: 'info', code: 'report-expired', message, job: task.config.name });
      return of(undefined);
    }),
    concatMap((first) => (first === undefined ? createAndWalk(fresh) : walkItems(reporting, values, first))),
  );
}

/** Whether a poll says that there is no report, or that there will be none. */
const isGone = ({ code, where: { status } }: ExtractError): boolean =>
  code === 'ERR_REPORT' || (code === 'ERR_STATUS' && (status === 404 || status === 410));

const partlyWritten = ({ message, where }: ExtractError): ExtractError =>
  new ExtractError('ERR_REPORT', `the report is gone after a part of its items was written: ${message}`, {
    ...where,
    remedy: 'Run without --resume: a new run creates a report, and writes all of it.',
  });

/** Emits nothing if a limit of the run is reached. Throws ERR_REPORT if the API says that the report failed. */
const pollOnce = ({ run, task, report: { failed }, requests }: Reporting, values: ReportValues) =>
  defer(() => {
    if (run.context.inFlight.isStopping) return NEVER;
    return isBounded(run, task.config) ? EMPTY : requests.poll(values);
  }).pipe(
    tap(({ view, excerpt }) => {
      if (failed !== undefined && meets(failed, view)) throw fault(task, `the report has failed: ${excerpt}`);
    }),
  );

const fault = ({ config: { name } }: WalkTask, message: string): ExtractError =>
  new ExtractError('ERR_REPORT', message, { job: name });

/** The longest wait between two polls, in ms, unless `every` is longer. */
const longestWait = 300_000;

/** Emits the poll that says that the report is done. Throws ERR_REPORT, and what requests throw. */
function pollUntilDone(reporting: Reporting, values: ReportValues, first: ReportAnswer): Observable<ReportAnswer> {
  const { task, report } = reporting;
  const { every, backoff, timeout } = report.poll;
  const isDone = ({ view }: ReportAnswer) => meets(report.done, view);
  const startedAt = asyncScheduler.now();
  let wait = every;
  const again = (answer: ReportAnswer): Observable<ReportAnswer> => {
    if (isDone(answer)) return EMPTY;
    const pause = Math.max(wait, answer.retryAfter);
    if (asyncScheduler.now() - startedAt + pause > timeout) {
      throw fault(task, `the report is not done after ${timeout / 1000} s: ${answer.excerpt}`);
    }
    wait = Math.min(wait * backoff, Math.max(every, longestWait));
    return timer(pause).pipe(concatMap(() => pollOnce(reporting, values)));
  };
  return of(first).pipe(expand(again), filter(isDone), take(1));
}

/** Walks the items of the report when it is done. Then it is noted as fetched, and removed. */
function walkItems(reporting: Reporting, values: ReportValues, first: ReportAnswer): Observable<Receipt> {
  const { run, task, requests, walkOnce } = reporting;
  // A task with its rows alone would poll the report, and remove it.
  const walked = { ...task, staysHere: true };
  const walk = (parts: readonly Partition[]) =>
    walkInOrder(run, task, (ordered) => partWalks(run, walked, parts, ordered), walkOnce);
  const end = defer(() =>
    run.totals.isBounded(task.config.name) ? EMPTY : concat(requests.note(values), requests.remove(values)),
  );
  return pollUntilDone(reporting, values, first).pipe(
    concatMap((done) => requests.partsOf(values, done)),
    concatMap((parts) => concat(walk(parts), end)),
  );
}
