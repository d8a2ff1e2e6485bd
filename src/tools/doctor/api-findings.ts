/** What responses show: whether a login and a page are right, how the clocks differ, how many requests are left. */
import { asExtractError, ExtractError, remedyFor } from '../../core/errors/errors.js';
import { remedyForWarning } from '../../core/errors/warnings.js';
import type { Notice } from '../../core/model/notice.js';
import type { Receipt } from '../../core/model/page.js';
import { defined } from '../../core/util/defined.js';
import { rateLimitHint } from '../../http/rate-limit-headers.js';
import { counted, grouped, size } from '../text/format.js';
import type { CheckedAnswer } from './first-requests.js';
import { failureOf, type StepFinding } from './steps.js';

const typeOf = ({ headers }: CheckedAnswer): string => [headers['content-type'] ?? 'no content type'].flat().join(', ');

/** Items of a first page are counted up to here. */
export const mostItems = 1000;

/** A page that has come. */
export function pageFinding(
  answer: CheckedAnswer | undefined,
  receipt: Receipt,
  warnings: readonly Pick<Notice, 'code' | 'message'>[],
): StepFinding {
  const { count, bytes } = receipt;
  const more = count === mostItems ? ' or more' : '';
  const status = answer === undefined ? '' : `status ${answer.status}, ${typeOf(answer)}, `;
  const message = `${status}${counted(count, 'item')}${more}, ${size(bytes)}`;
  const [first] = warnings;
  if (first === undefined) return { message };
  const texts = warnings.map((each) => `${each.message} [${each.code}]`).join('; ');
  return { verdict: 'warning', message: `${texts}; ${message}`, ...defined({ todo: remedyForWarning(first.code) }) };
}

/** A login or a page that failed. `isLogin` decides what to do. */
export function refusedFinding(answer: CheckedAnswer | undefined, thrown: unknown, isLogin: boolean): StepFinding {
  const error = asExtractError(thrown);
  if (answer === undefined) return failureOf(error);
  const begin = answer.begin();
  if (answer.status >= 400) {
    const { status, request } = answer;
    const login = isLogin ? { login: true as const } : {};
    const remedy = remedyFor(new ExtractError('ERR_STATUS', '', { status, ...login }));
    const message = `${request}: status ${status}${begin === '' ? ', the body is empty' : `: ${begin}`}`;
    return { verdict: 'failed', message, todo: remedy };
  }
  if (/html/i.test(typeOf(answer)) || /^<(?:!doctype|html)/i.test(begin)) {
    const message = `${answer.request}: status ${answer.status}, but the response is a web page: ${begin}`;
    const todo = isLogin
      ? 'Check the `endpoint` of the login: this address has a page for people.'
      : 'Check `baseUrl` and `endpoint`: this address has a page for people, often a login or an error page. An API may need a header such as `Accept: application/json`.';
    return { verdict: 'failed', message, todo };
  }
  return failureOf(error);
}

const noResponse: StepFinding = { verdict: 'skipped', message: 'there is no response' };

/** Clocks that differ by more, in seconds, are a warning. */
const mostSeconds = 60;

/** Compares the `Date` header with the clock of this machine, at the middle of the request. */
export function clockFinding(answers: readonly CheckedAnswer[]): StepFinding {
  if (answers.length === 0) return noResponse;
  const dated = answers.find(({ headers }) => headers.date !== undefined);
  const there = Date.parse([dated?.headers.date ?? ''].flat().join());
  if (dated === undefined || Number.isNaN(there))
    return { verdict: 'skipped', message: 'no response has a Date header' };
  const seconds = Math.round((dated.at - dated.ms / 2 - there) / 1000);
  const far = Math.abs(seconds);
  if (far <= mostSeconds) return { message: `the clocks differ by ${far <= 1 ? 'at most 1 s' : `${far} s`}` };
  return {
    verdict: 'warning',
    message: `the clock of this machine is ${grouped(far)} s ${seconds > 0 ? 'fast' : 'slow'}, compared with the API`,
    todo: 'Set the clock, with NTP if possible: signatures, the expiry of logins and time functions depend on it.',
  };
}

/** Headers that state how many requests a window has. */
const limits = ['ratelimit-limit', 'x-ratelimit-limit', 'x-rate-limit-limit'] as const;

/** How many requests the API says are left. A tenth or less is a warning. */
export function rateFinding(answers: readonly CheckedAnswer[]): StepFinding {
  if (answers.length === 0) return noResponse;
  const found = answers.flatMap(({ headers, at }) => {
    const hint = rateLimitHint(headers, at);
    return hint === undefined ? [] : [{ ...hint, headers, at }];
  });
  const least = found.sort((one, other) => one.left - other.left)[0];
  if (least === undefined) return { verdict: 'skipped', message: 'no response states how many requests are left' };
  const [text = ''] = limits.flatMap((name) => [least.headers[name] ?? []].flat());
  const [, most] = /^(\d{1,15})/.exec(text) ?? [];
  const of = most === undefined ? '' : ` of ${grouped(Number(most))}`;
  const wait = Math.ceil((least.until - least.at) / 1000);
  const message = `${grouped(least.left)}${of} requests left for the next ${grouped(wait)} s`;
  const isLittle = most === undefined ? least.left < 10 : least.left <= Number(most) / 10;
  if (!isLittle) return { message };
  const todo =
    'Wait until more are left, or set `api.http.rateLimit`; with `api.http.rateLimitHeaders` a run waits by itself.';
  return { verdict: 'warning', message, todo };
}
