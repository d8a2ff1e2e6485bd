/** Judges a response by the rules of its job: an error, or a page that ends its job or is left out. */
import { ExtractError } from '../core/errors/errors.js';
import { isNumber } from '../core/json/exact.js';
import type { CapturePath, Envelope } from '../core/model/page.js';
import type { Secrets } from '../core/model/secrets.js';
import { defined } from '../core/util/defined.js';
import type { ResponseView } from '../language/condition/response-condition.js';
import { placesOf, type ResponseRule, ruleFor, valueAt } from '../language/condition/response-rule.js';

/** What becomes of a page by a rule that is no error. */
export interface PageVerdict {
  readonly action: 'end' | 'skip';
  /** The path of the rule, and the text of the response. */
  readonly reason: string;
}

const nameOf = (segments: readonly string[]): string => ['\0rule', ...segments].join('\0');

/** The paths to capture for the rules. Lists and objects are captured as empty ones. */
export function capturesOfRules(rules: readonly ResponseRule[]): readonly CapturePath[] {
  const segments = placesOf(rules).flatMap((place) => ('segments' in place ? [place.segments] : []));
  const paths = segments.map((each) => [nameOf(each), each] as const);
  return [...new Map(paths)].map(([text, each]) => ({ text, segments: each, shallow: true, silent: true }));
}

/** The view of a page from what was captured. Names of `headers` are in lower case. */
export const capturedView = (response: Pick<ResponseView, 'status' | 'header'>, envelope: Envelope): ResponseView => ({
  status: response.status,
  header: response.header,
  at: (segments) => envelope.get(nameOf(segments))?.value,
});

/**
 * Returns what becomes of the page; undefined: no rule applies. Throws ERR_RESPONSE: final for `fail`, else to be
 * requested again.
 */
export function judgeResponse(
  rules: readonly ResponseRule[],
  response: ResponseView,
  secrets: Pick<Secrets, 'excerpt'>,
): PageVerdict | undefined {
  const rule = ruleFor(rules, response);
  if (rule === undefined) return undefined;
  const text = textAt(response, rule, secrets);
  const { action, path } = rule;
  if (action === 'end' || action === 'skip') return { action, reason: `${path}${text}` };
  const message = `${path}: the response is a failure (status ${response.status})${text}`;
  if (action === 'fail') throw new ExtractError('ERR_RESPONSE', message, { path });
  if (action === 'login') throw new ExtractError('ERR_RESPONSE', message, { path, refused: true });
  throw new ExtractError('ERR_RESPONSE', message, {
    path,
    ruled: true,
    ...defined({ retryAfter: waitOf(response, rule) }),
  });
}

const longestText = 200;

function textAt(response: ResponseView, { message }: ResponseRule, secrets: Pick<Secrets, 'excerpt'>): string {
  const value = message === undefined ? undefined : valueAt(response, message);
  const text = typeof value === 'string' || isNumber(value) ? secrets.excerpt(String(value), longestText) : '';
  return text === '' ? '' : `: ${text}`;
}

/** As the value of a `Retry-After` header. */
function waitOf(response: ResponseView, { wait }: ResponseRule): string | undefined {
  if (wait === undefined) return undefined;
  if ('seconds' in wait) return String(wait.seconds);
  const value = valueAt(response, wait);
  return typeof value === 'string' || isNumber(value) ? String(value) : undefined;
}
