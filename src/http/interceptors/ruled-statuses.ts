/**
 * `responseRules` for statuses that would fail: a rule is judged before the status is, and before a retry.
 * docs/14-any-response.md#rules.
 */

import { asExtractError } from '../../core/errors/errors.js';
import type { Exact } from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import type { RetryConfig } from '../../core/model/retry.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import { viewOf } from '../../language/condition/response-condition.js';
import { isRuled } from '../../language/condition/response-rule.js';
import { judgeResponse, type PageVerdict } from '../../page/judge-response.js';
import { bodyOf, type PeekedBody, peek } from '../body.js';
import { headOf } from '../response.js';
import type { HttpResponse, Interceptor } from '../types.js';

export interface RuledStatusesOptions {
  readonly retry: Pick<RetryConfig, 'codes'>;
  readonly secrets: Secrets;
}

/** Carries the verdict past the checks of the status. */
class VerdictOnFailure extends Error {
  readonly verdict: PageVerdict;
  constructor(verdict: PageVerdict) {
    super(verdict.reason);
    this.verdict = verdict;
  }
}

/** Bytes of a body that conditions look at. The body of a longer one has no values. */
const judgedBytes = 64 * 1024;

/** Judges a response that `status` would reject. Throws ERR_RESPONSE, and what `pagesOfVerdicts` catches. */
export function ruledStatuses({ retry, secrets }: RuledStatusesOptions): Interceptor {
  return (next) => async (request, context) => {
    const response = await next(request, context);
    const { rules } = context;
    const isFailure = response.status >= 400 || retry.codes.has(response.status);
    if (rules === undefined || !isFailure || !isRuled(rules, response.status)) return response;
    const { chunks, isWhole, body } = await start(response);
    const view = viewOf(response.status, response.headers, isWhole ? parsed(chunks) : undefined);
    const verdict = located(() => judgeResponse(rules, view, secrets), describeRequest(response.request, secrets));
    if (verdict === undefined) return { ...response, ...headOf(response), body };
    body.cancel();
    throw new VerdictOnFailure(verdict);
  };
}

/** Makes a page without items of a verdict on a failure. */
export const pagesOfVerdicts = (): Interceptor => (next) => async (request, context) => {
  try {
    return await next(request, context);
  } catch (thrown) {
    if (!(thrown instanceof VerdictOnFailure)) throw thrown;
    const { verdict } = thrown;
    const body = bodyOf([Buffer.from('[]')]);
    return { status: 200, headers: {}, contentType: 'application/json', request, isOpenEnded: false, body, verdict };
  }
};

/** A body that breaks has no values. */
async function start({ body }: HttpResponse): Promise<PeekedBody> {
  try {
    return await peek(body, judgedBytes);
  } catch {
    return { chunks: [], isWhole: false, body: bodyOf([]) };
  }
}

function parsed(chunks: readonly Uint8Array[]): Exact | undefined {
  try {
    return parseExact(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

function located<T>(work: () => T, request: string): T {
  try {
    return work();
  } catch (thrown) {
    throw asExtractError(thrown).at({ request });
  }
}
