/** Decides what a walk does about repeated pages: it warns, and fails when the walk would never end. */
import { ExtractError } from '../../core/errors/errors.js';
import { stringifyExact } from '../../core/json/exact.js';
import type { Job } from '../../core/model/job.js';
import type { Notice } from '../../core/model/notice.js';
import type { PageRequest } from '../../core/model/request.js';
import type { EvaluatedJob } from '../../job/evaluate-job.js';
import type { PageResult } from '../../page/page-result.js';
import type { Round } from '../../pagination/loop-detector.js';
import { createPrints, fingerprint } from '../../pagination/prints.js';
import { createRepeats, type Finding, type ItemsWatch, type Repeats } from '../../pagination/repeats.js';
import type { Paginator } from '../../pagination/types.js';

/** What repeated items cause: an error in the end, only warnings, or nothing. */
export type RepeatRule = 'fail' | 'warn' | 'allow';

/**
 * The key of the job overrides that of its pagination. `onlyWarns`: for a data folder, as repeated items end no job of
 * the reference program.
 */
export function repeatRule(
  job: Pick<EvaluatedJob, 'allowRepeatedItems'>,
  paginator: Paginator,
  onlyWarns: boolean,
): RepeatRule {
  if (job.allowRepeatedItems ?? paginator.allowsRepeatedItems ?? false) return 'allow';
  return onlyWarns ? 'warn' : 'fail';
}

const watches: Readonly<Record<RepeatRule, ItemsWatch>> = { fail: 'all', warn: 'first', allow: 'none' };

/** `earlier`: fingerprints of the pages of an earlier run, from `Prints.toText`. */
export const repeatsOf = (rule: RepeatRule, earlier: string | undefined): Repeats =>
  createRepeats(createPrints(earlier), watches[rule]);

/** A walk whose pages may be compared. */
export interface ComparedWalk {
  readonly paginator: Pick<Paginator, 'single'>;
  readonly context: { readonly comparesAll: boolean };
}

/** Whether pages are compared. A single page is compared only with what a sink may hold. */
export const isCompared = ({ paginator, context }: ComparedWalk): boolean =>
  paginator.single !== true || context.comparesAll;

/** Whether a shift would repeat items: pages are counted, and none may have the items of another. */
export const watchesShifts = (job: Pick<EvaluatedJob, 'allowRepeatedItems'>, paginator: Paginator): boolean =>
  paginator.counter !== undefined &&
  paginator.repairs !== true &&
  !(job.allowRepeatedItems ?? paginator.allowsRepeatedItems ?? false);

/** The warning for a page whose items have moved; once a job. */
export function shiftNotice({ shifted, isApart }: Pick<PageResult, 'shifted' | 'isApart'>): Notice | undefined {
  if (shifted > 0) {
    const which =
      shifted === 1
        ? 'the first item of this page is the last one'
        : `the first ${shifted} items of this page are the last ones`;
    return shift(
      `${which} of the page before: items were inserted or moved during the pull, so ${shifted === 1 ? 'it is' : 'they are'} there twice, and others may be missing; sort by a value that does not change, or set \`repair\` of the pagination`,
    );
  }
  return isApart
    ? shift(
        'this page does not join the one before it, although it was requested with an overlap: too many items were inserted, removed or changed during the pull, and some may be missing or there twice',
      )
    : undefined;
}

const shift = (message: string): Notice => ({ level: 'warning', code: 'shifted-page', message, subject: '' });

/** The fingerprint of a page; 0 if pages are not compared. */
export function printOfPage(read: PageResult, request: PageRequest, walk: ComparedWalk): bigint {
  if (!isCompared(walk)) return 0n;
  const { chain, itemsDigest, count, cut } = read;
  return fingerprint({ chain, items: count + cut > 0 ? itemsDigest : undefined, request: () => textOf(request) });
}

const textOf = ({ endpoint, method = 'GET', params, placed = [] }: PageRequest): string =>
  stringifyExact([endpoint, method, params, ...placed.map(({ path, value }) => [path, value])]);

/** How many pages in a row may repeat the items of the page before them. */
const mostInARow = 9;

interface Judging {
  readonly job: Pick<Job, 'name'>;
  readonly rule: RepeatRule;
  /** The walk ends at this page anyway. */
  readonly isOver: boolean;
}

/** Returns a warning for repeated items, if they need one. Throws ERR_LOOP. `index`: the page that repeats others. */
export function judgeRepeat(finding: Finding, index: number, { job, rule, isOver }: Judging): Notice | undefined {
  const fails = rule === 'fail' && !isOver;
  if (finding.kind !== 'row') {
    const error = new ExtractError('ERR_LOOP', roundMessage(finding.kind, finding.round), {
      job: job.name,
      page: index,
    });
    if (fails || finding.kind === 'pages') throw error;
    return warning(error.message);
  }
  const { times } = finding;
  if (fails && times > mostInARow) {
    const message = `pagination loop: pages ${index - times + 2}-${index + 1} have the same items as page ${index - times + 1}; ${advice}`;
    throw new ExtractError('ERR_LOOP', message, { job: job.name, page: index });
  }
  return times === 1 ? warning(`page ${index + 1} has the same items as page ${index}; ${advice}`) : undefined;
}

const advice = 'check the pagination, or set `allowRepeatedItems` if this is correct';

const warning = (message: string): Notice => ({ level: 'warning', code: 'repeated-items', message, subject: '' });

/** Pages in messages count from 1. */
function roundMessage(what: 'pages' | 'items', { from, period }: Round): string {
  const last = from + period;
  const pages = `pages ${from + 1}-${last}`;
  const again = `pages ${last + 1}-${last + period}`;
  if (what === 'pages') return `pagination loop: ${again} are identical to ${pages}`;
  return `pagination loop: the items of ${again} are identical to those of ${pages}; ${advice}`;
}
