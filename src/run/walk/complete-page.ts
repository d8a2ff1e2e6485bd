/** Completes a page that was read: its receipt, the next task, limits, loops, and signs of missing data. */
import { asyncScheduler } from 'rxjs';
import { asExtractError } from '../../core/errors/errors.js';
import type { Job } from '../../core/model/job.js';
import type { RequestCost } from '../../core/model/job-stats.js';
import type { Notice, Notify } from '../../core/model/notice.js';
import type { FailedRequest, PageProof, Receipt, WalkTotals } from '../../core/model/page.js';
import type { PageRequest } from '../../core/model/request.js';
import { guessedFormat } from '../../core/model/response-format.js';
import { nearestPath, type PathMiss } from '../../core/util/suggest.js';
import type { EvaluatedJob } from '../../job/evaluate-job.js';
import type { ErrorInBody } from '../../page/error-in-body.js';
import type { PageResult } from '../../page/page-result.js';
import {
  type Carried,
  carriedBy,
  warnAtEnd,
  warnAtGap,
  warnAtRepeat,
  warnAtStart,
} from '../../pagination/truncation/truncation-warnings.js';
import { observePage } from '../../pagination/truncation/walk-evidence.js';
import { isStop, type Stop } from '../../pagination/types.js';
import { stepByVerdict } from './judge-page.js';
import { outlookAfter } from './outlook-after.js';
import type { PageOutcome, WalkContext } from './page-context.js';
import { judgeRepeat, printOfPage, shiftNotice } from './page-repeats.js';
import { proveLeftOut, provePage } from './prove-page.js';
import { leftOut, reachedBy, reachedNothing } from './reached-value.js';
import { limitNotice } from './run-limits.js';
import type { StartedTask } from './stream-page.js';
import { validatedPage } from './unchanged-page.js';

/**
 * Turns a page that was read into its receipt and the next task; `spend` takes its cost. Throws ERR_LOOP, and what the
 * paginator throws.
 */
export function completePage(
  walk: WalkContext,
  visit: StartedTask,
  read: PageResult,
  spend: () => RequestCost,
): PageOutcome {
  const { context, job, bounds } = walk;
  const say = (notice: Notice) => context.notify({ job: job.name, page: visit.index, ...notice });
  const noticed = noticeOf(walk, read);
  if (noticed !== undefined) say(noticed);
  if (read.found === 'absent') walk.miss(missNotice(walk.job, read));
  const shifted = shiftNotice(read);
  if (shifted !== undefined) say(shifted);

  const walked = addToTotals(visit.walked, read);
  const fingerprint = printOfPage(read, visit.request, walk);
  const done = withTotals(visit, walked);
  const step =
    stepByVerdict(walk, visit.index, read.verdict, () => scrolled(walk, done, read, 0)) ??
    (isRepeat(walk, read)
      ? { stop: 'a page identical to the one before it', by: 'repeated page' as const }
      : nextStep(walk, done, read, { fingerprint, say }));
  context.onStep?.({ job: job.name, index: visit.index, step });
  if (step.warning !== undefined) say(step.warning);
  bounds.add(job.name, read.count);
  const bound = isStop(step) && read.cut === 0 ? undefined : bounds.reached(job.name);
  const { seen, alarms } = checkTruncation(walk, done, read, bound === undefined && isStop(step) ? step : undefined);
  if (walk.judge === undefined) alarms.forEach(say);
  else walk.judge({ seen, items: walked.items, alarms });
  if (context.onOutlook !== undefined && !walk.isChild) {
    context.onOutlook(outlookAfter({ index: visit.index, items: walked.items, envelope: read.envelope, seen }, walk));
  }
  const stop = isStop(step) ? step : undefined;
  const proof = provePage(walk, { task: visit, read, seen, items: walked.items, stop, bound });
  const receipt = withProof(receiptOf(job, visit.index, read, spend()), proof);
  const isLimited = bound !== undefined || (isStop(step) && step.isWanted === true);
  const isOver = bound !== undefined || isStop(step);
  const reached = reachedBy(walk, read, { isLimited, isOver, index: visit.index });
  const { rows, loginNames } = read;
  const validated = read.revalidated === undefined ? undefined : validatedPage(read, read.count + leftOut(read));
  if (bound === undefined && !isStop(step)) {
    const request = step.warning === undefined ? step : withoutWarning(step);
    const next = { request, index: visit.index + 1, previous: read.chain, walked, seen };
    return { receipt: withNext(receipt, request), rows, fingerprint, reached, validated, loginNames, next };
  }
  if (bound !== undefined) context.notify(limitNotice(job.name, bound));
  const last = bound === undefined && isStop(step) ? withStop(receipt, step.stop) : bounded(receipt, bound ?? '');
  return { receipt: last, rows, fingerprint, reached, validated, loginNames, next: undefined };
}

/** The outcome of the page: the last one of its walk, without items. */
export function leftOutPage(
  walk: WalkContext,
  task: StartedTask,
  skipped: FailedRequest,
  cost: RequestCost,
): PageOutcome {
  const { context, bounds } = walk;
  const { name: job, dataType } = walk.job;
  const { index } = task;
  const stop = `a request that failed (${skipped.status ?? skipped.code}) and was left out`;
  context.onStep?.({ job, index, step: { stop } });
  bounds.add(job, 0);
  const left = { job, dataType, index, count: 0, bytes: 0, delivered: false, skipped, ...cost, stop };
  const receipt = withProof(left, proveLeftOut(walk, task, stop));
  const reached = reachedNothing(walk);
  return { receipt, rows: undefined, fingerprint: 0n, reached, loginNames: noNames, next: undefined, failed: task };
}

const noNames: ReadonlySet<string> = new Set();

/** One literal for most receipts: a spread that adds members is slow. */
function withNext(receipt: Receipt, next: PageRequest): Receipt {
  if (isUnusual(receipt)) return { ...receipt, next };
  const { job, dataType, index, count, bytes, delivered, requests, retries } = receipt;
  return { job, dataType, index, count, bytes, delivered, requests, retries, next };
}

/** The same for the last page of a walk. */
function withStop(receipt: Receipt, stop: string): Receipt {
  if (isUnusual(receipt)) return { ...receipt, stop };
  const { job, dataType, index, count, bytes, delivered, requests, retries } = receipt;
  return { job, dataType, index, count, bytes, delivered, requests, retries, stop };
}

const bounded = (receipt: Receipt, stop: string): Receipt => ({ ...receipt, stop, bounded: true });

const isUnusual = ({ unfound, failed, cached, unchanged, proof }: Receipt): boolean =>
  unfound === true || failed === true || cached === true || unchanged === true || proof !== undefined;

const withProof = (receipt: Receipt, proof: PageProof | undefined): Receipt =>
  proof === undefined ? receipt : { ...receipt, proof };

const withTotals = (
  { request, index, previous, seen, captures, room, delivered }: StartedTask,
  walked: WalkTotals,
): StartedTask => ({ request, index, previous, walked, seen, captures, room, delivered });

function withoutWarning({ warning: _, ...request }: PageRequest): PageRequest {
  return request;
}

/** The receipt of a page, without what follows it. Most receipts have one shape. */
function receiptOf(
  { name: job, dataType, dataField }: Job,
  index: number,
  read: PageResult,
  cost: RequestCost,
): Receipt {
  const { count, bytes } = read;
  const { requests, retries } = cost;
  const delivered = !read.repeated;
  const receipt = { job, dataType, index, count, bytes, delivered, requests, retries };
  const hasNoItems = read.verdict?.action === 'skip' || isUnfound({ dataField }, read);
  const isError = read.error !== undefined && read.received === 0;
  const isUnchanged = read.revalidated?.facts !== undefined;
  if (!hasNoItems && !isError && !read.isCached && !isUnchanged) return receipt;
  return {
    ...receipt,
    ...(hasNoItems ? { unfound: true as const } : {}),
    ...(isError ? { failed: true as const } : {}),
    ...(read.isCached ? { cached: true as const } : {}),
    ...(isUnchanged ? { unchanged: true as const } : {}),
  };
}

/** Whether the page ends the walk because it repeats the one before it; some methods have their own rule for that. */
const isRepeat = ({ paginator }: WalkContext, { repeated }: PageResult): boolean =>
  repeated && paginator.judgesRepeats !== true;

/** Checks for signs of missing data. `end` is the reason if the walk ends by itself. */
function checkTruncation(walk: WalkContext, visit: StartedTask, read: PageResult, end: Stop | undefined) {
  const { job, paginator, isChild } = walk;
  if (read.verdict?.action === 'skip') return { seen: visit.seen, alarms: [] };
  const hasList = read.found === 'list' || read.found === 'absent';
  const { headers, envelope } = read;
  const count = read.count + leftOut(read);
  const page = { count, headers, envelope, request: visit.request, index: visit.index, hasList };
  const seen = read.repeated && visit.seen !== undefined ? visit.seen : observePage(visit.seen, page, paginator, job);
  const { items } = visit.walked;
  const isSingle = paginator.single === true;
  const carried = isRepeat(walk, read) ? carriedOn(walk, visit, read) : undefined;
  const how = { seen, items, hasList, isChild, isSingle, end, isRepeat: read.repeated, carried };
  const isExplained = items === 0 && isUnfound(job, read); // every figure differs then: `foundNotice` names the cause
  const atEnd = end === undefined || end.isWanted === true || isExplained ? undefined : warnAtEnd(how);
  const atBeginning = visit.seen === undefined ? warnAtStart(page, paginator) : undefined;
  const atRepeat = end === undefined ? undefined : warnAtRepeat(how, paginator);
  const alarms = [atBeginning, warnAtGap(visit.seen, count), atRepeat, atEnd].filter((alarm) => alarm !== undefined);
  return { seen, alarms };
}

/** Adds a page to the totals of its walk. */
function addToTotals({ startedAt, items, volume }: WalkTotals, read: PageResult): WalkTotals {
  const { volume: more, memo } = read;
  const totals = { startedAt, items: items + read.count + leftOut(read), volume: volume + more };
  return memo === undefined ? totals : { ...totals, memo };
}

/** The next request, or why the walk ends. Throws ERR_LOOP, and what the paginator throws. */
function nextStep(
  walk: WalkContext,
  visit: StartedTask,
  read: PageResult,
  { fingerprint, say }: { readonly fingerprint: bigint; readonly say: Notify },
) {
  const { job, repeats, repeatRule: rule } = walk;
  // A page that repeats the one before it is not examined: the method judges it itself.
  const finding = read.repeated ? undefined : repeats?.see(fingerprint);
  const step = scrolled(walk, visit, read, read.count + leftOut(read));
  if (finding === undefined) return step;
  const notice = judgeRepeat(finding, visit.index, { job, rule, isOver: isStop(step) });
  if (notice !== undefined) say(notice);
  return step;
}

/** Passes the page to the paginator. */
function scrolled(
  { job, paginator }: WalkContext,
  { request, index, walked }: StartedTask,
  read: PageResult,
  count: number,
) {
  const { received, envelope, address, headers } = read;
  const { startedAt, items, volume, memo } = walked;
  const takenAt = asyncScheduler.now();
  const page = { startedAt, items, volume, request, index, count, received, envelope, address, headers, takenAt };
  try {
    return paginator.next(job, memo === undefined ? page : { ...page, memo });
  } catch (thrown) {
    throw asExtractError(thrown).at({ job: job.name, page: index });
  }
}

const longestValue = 100;
const longestDetail = 200;

/** What the request of a repeated page carried, if the paginator continues after it; undefined: it does not. */
function carriedOn(walk: WalkContext, visit: StartedTask, read: PageResult): Carried | undefined {
  const { job, paginator, context } = walk;
  // `read.count` is 0 here: a repeated page is not delivered.
  if (isStop(scrolled(walk, visit, read, read.received))) return undefined;
  const { name, value } = carriedBy(visit.request, paginator.first(job), paginator);
  const shown = value === undefined ? undefined : context.secrets.excerpt(context.secrets.maskUrl(value), longestValue);
  return { ...(name === undefined ? {} : { name }), ...(shown === undefined ? {} : { value: shown }) };
}

/** Whether the path of the items leads to nothing. A `null` there, or a list without items, counts as found. */
function isUnfound({ dataField }: Pick<Job, 'dataField'>, { found, pathMiss }: PageResult): boolean {
  if (found !== 'empty') return found === 'no body' || found === 'none' || found === 'absent';
  return dataField.kind === 'auto' || (pathMiss.depth ?? -1) < dataField.segments.length;
}

function noticeOf(walk: WalkContext, read: PageResult): Notice | undefined {
  const { verdict, error, received } = read;
  if (error !== undefined) return errorNotice(walk, error, received);
  if (verdict === undefined) return foundNotice(walk.job, read);
  if (verdict.action === 'end') return undefined;
  return { level: 'info', code: 'page-skipped', message: `the page is left out, as a rule says: ${verdict.reason}` };
}

function foundNotice({ dataField }: Job, read: PageResult): Notice | undefined {
  const { found, pathMiss, lists, isPastEnd } = read;
  if (isPastEnd) return undefined;
  if (found === 'no body') return warning('no-body', 'the response has no body: no items');
  if (found === 'none')
    return warning('no-list', `the response has no list at its top level: no items${further(lists)}`);
  if (found !== 'empty' || dataField.kind === 'auto') return undefined;
  const near = nearestPath(dataField.segments, pathMiss);
  const wrong = `no value at "${dataField.text}" (\`dataField\`): no items`;
  if (near !== undefined) return warning('no-data', `did you mean "${near}"? The response has ${wrong}`);
  return warning('no-data', `the response has ${wrong}${isUnfound({ dataField }, read) ? further(lists) : ''}`);
}

/**
 * The warning for a job none of whose pages has the element of its items, or a header. A page alone proves nothing: a
 * feed without entries has no such element.
 */
function missNotice({ response }: EvaluatedJob, { pathMiss }: PageResult): Notice {
  const { format, element = [] } = response ?? guessedFormat;
  if (format !== 'xml') {
    const what = format === 'csv' ? 'header' : 'body';
    return warning('no-body', `no response has a ${what}: no items`);
  }
  const path = typeof element === 'string' ? element.split('.') : element;
  const near = nearestPath(path, pathMiss) ?? prefixedPath(path, pathMiss);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  const wanted = `no response has an element "${path.join('.')}" (\`response.element\`): no items`;
  return warning('no-data', `${wanted}${hint}${besides(path, pathMiss)}`);
}

/** The path with another prefix, or none, in the place of the element that is missing. */
function prefixedPath(path: readonly string[], { depth = 0, beside }: PathMiss): string | undefined {
  const bare = (name = '') => name.slice(name.indexOf(':') + 1);
  const near = beside.find((name) => bare(name) === bare(path[depth]));
  return near === undefined ? undefined : path.with(depth, near).join('.');
}

const mostNamed = 10;

/** The elements in the place of the one that is missing. */
function besides(path: readonly string[], { depth = 0, beside }: PathMiss): string {
  const above = `"${path.slice(0, depth).join('.')}"`;
  if (beside.length === 0) return depth === path.length - 1 ? '' : `; ${above} has no elements`;
  const more = beside.length > mostNamed ? ' and others' : '';
  return `; ${above} has ${beside
    .slice(0, mostNamed)
    .map((name) => `"${name}"`)
    .join(', ')}${more}`;
}

/** The warning for a successful response that says that it failed. */
function errorNotice({ context }: WalkContext, { member, detail }: ErrorInBody, received: number): Notice {
  const { secrets } = context;
  const text = detail === undefined ? '' : `: ${secrets.excerpt(detail, longestDetail)}`;
  const items = received === 0 ? 'no items' : `${received} item${received === 1 ? '' : 's'}`;
  return warning('error-in-body', `the response has ${items} and says that it failed ("${member}")${text}`);
}

/** Suggests paths where the items may be. */
const further = (lists: readonly string[]): string =>
  lists.length === 0 ? '' : `; set \`dataField\` to ${lists.map((path) => `"${path}"`).join(' or ')}`;

const warning = (code: string, message: string): Notice => ({ level: 'warning', code, message });
