/** The requests around a report: create, poll, links, delete. */
import { asyncScheduler, catchError, defer, EMPTY, ignoreElements, map, type Observable, of } from 'rxjs';
import type { PageSummary } from '../../checkpoint/page-record.js';
import type { JobConfig } from '../../config/config.js';
import type { ReportConfig, ReportRequest } from '../../config/report/read-report.js';
import { asExtractError } from '../../core/errors/errors.js';
import { isObject } from '../../core/json/exact.js';
import type { PageRequest } from '../../core/model/request.js';
import { withHeader } from '../../core/url/headers.js';
import { defined } from '../../core/util/defined.js';
import { digestOf } from '../../core/util/digest.js';
import { rememberFor } from '../../core/util/remember.js';
import type { Partition } from '../../job/partitions.js';
import {
  bindingsFor,
  filled,
  type Lookup,
  linkPart,
  linksIn,
  lookupIn,
  partOf,
  type ReportValues,
  valuesFor,
  withoutParams,
} from './report-values.js';
import { type ReportAnswer, type SendOptions, sendOnce } from './send-report-request.js';
import type { RunScope, WalkTask } from './walk-context.js';

export interface ReportRequests {
  /** What an earlier process has stored; undefined: nothing. */
  stored(): ReportValues | undefined;
  /** Creates the report. Emits when its values are on the disk. */
  create(): Observable<ReportValues>;
  poll(values: ReportValues): Observable<ReportAnswer>;
  /** The walks of its items: one for each link, or one. */
  partsOf(values: ReportValues, done: ReportAnswer): Observable<readonly Partition[]>;
  /** Records that all items are written. */
  note(values: ReportValues): Observable<never>;
  /** Removes the report from the API. A failure is a notice. */
  remove(values: ReportValues): Observable<never>;
}

/** The items of a report that cannot be deleted do not wait for long. */
const mostRetries = 3;

export function createReportRequests(run: RunScope, task: WalkTask, report: ReportConfig): ReportRequests {
  const { context } = run;
  const { instance, resumed } = task;
  const startedAt = resumed?.begun ?? asyncScheduler.now();
  const requestOf = requestsOf(run, task, startedAt);
  const send = (request: PageRequest, options?: SendOptions) => sendOnce(run, task, request, options);
  const record = (values: ReportValues, isFetched: boolean) => store(run, task, startedAt, { values, isFetched });
  return {
    stored: () => {
      if (resumed?.report === undefined) return undefined;
      const values = context.journal.valuesOf(resumed.report);
      return isObject(values) ? values : new Map();
    },
    create: () =>
      defer(() => {
        const request = withKey(requestOf('create', report.create), report, run, task);
        const isOnce = report.create.idempotencyKey === undefined;
        return send(request, { isOnce, after: ({ view }) => record(valuesFor(report, view), false) });
      }).pipe(map(({ view }) => valuesFor(report, view))),
    poll: (values) => defer(() => send(requestOf('poll', report.poll, lookupIn(values)))),
    partsOf: (values, done) =>
      defer(() => {
        const lookup = lookupIn(values, done.view);
        const { fetch, links } = report;
        if (links === undefined) return of([partOf(instance, bindingsFor(fetch, lookup, task))]);
        const answer = fetch === undefined ? of(done) : send(requestOf('fetch', fetch, lookup));
        const partsIn = ({ view }: ReportAnswer) =>
          linksIn(view.at(links), links, task).map((link) => linkPart(run, task, link));
        return answer.pipe(map(partsIn));
      }),
    note: (values) => defer(() => record(values, true)).pipe(ignoreElements()),
    remove: (values) => {
      const { delete: removal } = report;
      if (removal === undefined) return EMPTY;
      const removed = defer(() => send(requestOf('delete', removal, lookupIn(values)), { mostRetries }));
      return removed.pipe(ignoreElements(), catchError(noticeOfFailure(run, task)));
    },
  };
}

type RequestKey = 'create' | 'poll' | 'fetch' | 'delete';

/** The requests around the report of a job, as jobs of their own, in the order in which they are sent. */
export function jobsOfReport(config: JobConfig, report: ReportConfig): readonly (readonly [RequestKey, JobConfig])[] {
  const { create, poll, fetch, links, delete: removal } = report;
  const all = { create, poll, fetch: links === undefined ? undefined : fetch, delete: removal };
  const keys: readonly RequestKey[] = ['create', 'poll', 'fetch', 'delete'];
  return keys.flatMap((key) => {
    const request = all[key];
    return request === undefined ? [] : [[key, jobOf(config, key, request)] as const];
  });
}

/** Makes requests as configured, with the values of the walk and of the report. */
function requestsOf({ client, context }: RunScope, task: WalkTask, startedAt: number) {
  const { config, instance } = task;
  const increment = context.increments?.begin(config, instance, undefined);
  return (key: RequestKey, request: ReportRequest, lookup?: Lookup): PageRequest => {
    const isOwn = key === 'create';
    const bindings = isOwn ? instance : withoutParams(instance);
    const job = client.begin(jobOf(config, key, request), bindings, startedAt, isOwn ? increment?.range : undefined);
    const { method, params, headers } = job;
    const endpoint = lookup === undefined ? job.endpoint : filled(job.endpoint, lookup, task);
    const isBare = key === 'delete' ? (true as const) : undefined;
    return { endpoint, params, headers, ...defined({ method, isBare }) };
  };
}

/** The key is that of the run and the walk; a report that is created anew has another one. */
function withKey(request: PageRequest, { create }: ReportConfig, { context }: RunScope, task: WalkTask): PageRequest {
  const { idempotencyKey } = create;
  if (idempotencyKey === undefined) return request;
  const key = digestOf(JSON.stringify([context.runId, task.name, task.resumed?.report?.values ?? null]));
  return { ...request, headers: withHeader(request.headers, idempotencyKey, key) };
}

/** Settles when the record of the report is on the disk. */
async function store(
  run: RunScope,
  task: WalkTask,
  begun: number,
  report: { readonly values: ReportValues; readonly isFetched: boolean },
): Promise<void> {
  const { journal } = run.context;
  const draft = journal.describe(summaryOf(run, task, begun, report), 0);
  if (draft !== undefined) await journal.append(draft, undefined);
}

/** A report that is gone already is no failure. */
const noticeOfFailure =
  ({ context }: RunScope, { config }: WalkTask) =>
  (thrown: unknown) => {
    const { message, where } = asExtractError(thrown);
    const notice = { level: 'info', code: 'report-not-deleted', message, job: config.name } as const;
    if (where.status !== 404 && where.status !== 410) context.notify(notice);
    return EMPTY;
  };

const requestJobs = rememberFor((_: JobConfig) => new Map<string, JobConfig>());

/** The job whose request this is. */
function jobOf(config: JobConfig, key: string, request: ReportRequest): JobConfig {
  const known = requestJobs(config);
  const { report: _, ...own } = config;
  const job = known.get(key) ?? { ...own, ...request, path: `${config.path}.await.${key}` };
  known.set(key, job);
  return job;
}

/** The record of the report: that of a page without items. */
function summaryOf(
  { client }: RunScope,
  { config, instance, top, at }: WalkTask,
  begun: number,
  report: { readonly values: ReportValues; readonly isFetched: boolean },
): PageSummary {
  const { name, dataType } = config;
  const receipt = { job: name, dataType, index: 0, count: 0, bytes: 0, delivered: false, requests: 0, retries: 0 };
  const job = client.begin(config, instance, begun);
  const leading = () => ({ isTrusted: false, loginNames: new Set<string>() });
  return { top, at, job, begun, receipt, fingerprint: 0n, report, leading };
}
