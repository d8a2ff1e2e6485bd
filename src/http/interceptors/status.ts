/** Checks responses: throws ERR_STATUS for a retriable status, an error, or rejected credentials. */
import type { RejectionRule } from '../../auth/types.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { RetryConfig } from '../../core/model/retry.js';
import type { Secrets } from '../../core/model/secrets.js';
import { decodePrefix, describeRequest } from '../../core/secrets/secrets.js';
import type { Origins } from '../../core/url/origins.js';
import { peek, readPrefix } from '../body.js';
import { headOf } from '../response.js';
import type { HttpResponse, Interceptor } from '../types.js';
import type { IgnoredStatuses } from './ignore-errors.js';

export interface StatusOptions {
  readonly retry: RetryConfig;
  /** Statuses that count as success. */
  readonly accepted: IgnoredStatuses;
  /** How the API signals rejected credentials. */
  readonly rejection: RejectionRule;
  readonly origins: Pick<Origins, 'trusts'>;
  readonly secrets: Secrets;
}

/** The default signal for rejected credentials. */
export const unauthorized: RejectionRule = { statuses: new Set([401]) };

const noRejection: RejectionRule = { statuses: new Set() };

/** Bytes of a body that are searched for a rejection text. */
const searchedBytes = 4096;

/** Passes a successful response on. Throws ERR_STATUS for any other. */
export function status({ retry, accepted, rejection, origins, secrets }: StatusOptions): Interceptor {
  return (next) => async (request, context) => {
    const response = await next(request, context);
    const isRetried = !context.isLast && retry.codes.has(response.status);
    const isGood = !isRetried && (response.status < 400 || accepted.has(response.status));
    if (isGood && rejection.text === undefined) return response;
    const isOurs = context.credentials !== undefined && origins.trusts(response.request.url);
    const rule = isOurs ? rejection : noRejection;
    if (isGood && context.hold !== undefined) await context.hold.taken;
    if (isGood) return unlessRejected(response, rule, secrets);
    const start = await readPrefix(response.body);
    const after = response.headers[retry.retryHeader.toLowerCase()];
    throw statusError(response, start, secrets).at({
      ...(typeof after === 'string' ? { retryAfter: after } : {}),
      ...(rule.statuses.has(response.status) || rejects(rule, start) ? { refused: true as const } : {}),
    });
  };
}

/** Throws ERR_STATUS for an otherwise successful response that contains the rejection text. */
async function unlessRejected(response: HttpResponse, rule: RejectionRule, secrets: Secrets): Promise<HttpResponse> {
  if (rule.text === undefined) return response;
  const { chunks, body } = await peek(response.body, searchedBytes);
  const start = Buffer.concat(chunks);
  if (!rejects(rule, start)) return { ...headOf(response), body };
  body.cancel();
  throw statusError(response, start, secrets).at({ refused: true });
}

const rejects = ({ text }: RejectionRule, start: Buffer): boolean =>
  text !== undefined && start.toString('utf8', 0, searchedBytes).includes(text);

/** Names status, request and the start of the body, masked. */
function statusError(response: HttpResponse, start: Buffer, secrets: Secrets): ExtractError {
  const request = describeRequest(response.request, secrets);
  const excerpt = secrets.excerpt(decodePrefix(start), 120);
  const answer = excerpt === '' ? 'the body is empty' : excerpt;
  return new ExtractError('ERR_STATUS', `${request} failed with status ${response.status}: ${answer}`, {
    request,
    status: response.status,
  });
}
