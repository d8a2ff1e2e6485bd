/** Judges a page that was read by the rules of its job, before its items are committed. */
import { ExtractError } from '../../core/errors/errors.js';
import type { PageRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import type { HttpResponse } from '../../http/types.js';
import { viewOf } from '../../language/condition/response-condition.js';
import type { ResponseRule } from '../../language/condition/response-rule.js';
import { capturedView, judgeResponse, type PageVerdict } from '../../page/judge-response.js';
import type { PageRead, PageResultDraft } from '../../page/page-result.js';
import { isStop, type Stop } from '../../pagination/types.js';
import type { WalkContext } from './page-context.js';

/** What judging reads of a walk. */
interface JudgingContext {
  readonly rules: readonly ResponseRule[];
  readonly secrets: Secrets;
}

/** The judging of one response. */
export interface PageJudging {
  readonly judge: ((read: PageRead) => PageVerdict['action'] | undefined) | undefined;
  /** The verdict; undefined: none, or not yet. */
  verdict(): PageVerdict | undefined;
}

/** Undefined: no rule can apply. A verdict on the status is there before the page is read. */
export function judgingOf(
  { rules, secrets }: JudgingContext,
  { status, headers, verdict: known }: HttpResponse,
): PageJudging | undefined {
  if (known !== undefined) return { judge: undefined, verdict: () => known };
  if (rules.length === 0) return undefined;
  const head = viewOf(status, headers, undefined);
  let verdict: PageVerdict | undefined;
  return {
    judge({ envelope }) {
      verdict = judgeResponse(rules, capturedView(head, envelope), secrets);
      return verdict?.action;
    },
    verdict: () => verdict,
  };
}

/** A rule replaces what is found without one. */
export function applyVerdict(result: PageResultDraft, verdict: PageVerdict | undefined): void {
  if (verdict === undefined) return;
  result.verdict = verdict;
  result.error = undefined;
  result.isFailed = verdict.action === 'skip';
  if (verdict.action === 'skip') result.received = 0;
}

/** So many pages in a row are left out. */
const mostInARow = 20;

/**
 * The step after a page that a rule ends or leaves out; undefined: the pagination decides as usual. `next` asks the
 * pagination about a page without items. Throws ERR_LOOP.
 */
export function stepByVerdict(
  { job, paginator, skips }: Pick<WalkContext, 'job' | 'paginator' | 'skips'>,
  index: number,
  verdict: PageVerdict | undefined,
  next: () => PageRequest | Stop,
): PageRequest | Stop | undefined {
  if (verdict?.action !== 'skip') skips.inARow = 0;
  if (verdict === undefined) return undefined;
  if (verdict.action === 'end') return { stop: verdict.reason, by: 'rule', isWanted: true };
  skips.inARow += 1;
  const step = paginator.single === true ? next() : (paginator.requestAt?.(job, index + 1) ?? next());
  if (isStop(step)) return { stop: step.stop, by: step.by, isWanted: true };
  if (skips.inARow < mostInARow) return step;
  const message = `${mostInARow} pages in a row were left out by a rule: the job may have no more. Last ${verdict.reason}`;
  throw new ExtractError('ERR_LOOP', message, { job: job.name, page: index });
}
