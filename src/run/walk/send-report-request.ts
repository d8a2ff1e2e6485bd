/** Sends a request about a report: it is no page, and its response is small. */
import { asyncScheduler, catchError, defer, finalize, type Observable } from 'rxjs';
import type { Credentials } from '../../auth/types.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { Exact } from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import type { PageRequest } from '../../core/model/request.js';
import { readWhole } from '../../http/body.js';
import { createRequestScope, type RequestContext } from '../../http/request-context.js';
import { retryAfter } from '../../http/retry-policy.js';
import type { HttpResponse } from '../../http/types.js';
import { type RetryPolicy, retried } from '../../http/with-retry.js';
import { type ResponseView, viewOf } from '../../language/condition/response-condition.js';
import { RequestAccount } from './request-account.js';
import type { RunScope, WalkTask } from './walk-context.js';

export interface ReportAnswer {
  readonly view: ResponseView;
  /** The beginning of the body, masked. */
  readonly excerpt: string;
  /** In ms; 0: the response asks for no wait. */
  readonly retryAfter: number;
}

export interface SendOptions {
  /** A request that may have arrived is not sent again: the API may have done what it asks. */
  readonly isOnce?: boolean;
  /** Default: those of the API. */
  readonly mostRetries?: number;
  /** Belongs to the request: an interrupt of the run waits for both. */
  readonly after?: (answer: ReportAnswer) => Promise<void>;
}

/** The most bytes of such a response. */
const mostBytes = 16 * 1024 * 1024;
const longestExcerpt = 200;

/**
 * Sends a request with its retries. Throws what the pipeline of requests throws.
 */
export function sendOnce(
  run: RunScope,
  task: WalkTask,
  request: PageRequest,
  { isOnce = false, mostRetries = Number.POSITIVE_INFINITY, after }: SendOptions = {},
): Observable<ReportAnswer> {
  const { client, slot, context, totals } = run;
  const { name } = task.config;
  return defer(() => {
    const account = new RequestAccount(client);
    const scope = createRequestScope();
    const retry = { ...client.retry, maxRetries: Math.min(client.retry.maxRetries, mostRetries) };
    const policy: RetryPolicy = { retry, notify: client.notify, random: client.random };
    const owner = { name, standStill: context.inFlight.standStill };
    const answers = retried(
      policy,
      () => ({ job: name }),
      ({ number, last }) => {
        const onRequest = (sent: number) => account.add(sent);
        const ask = (credentials: Credentials) =>
          scope.attempt({ credentials, isLast: last, onRequest, owner, watch: task.watch }, async (sending) => {
            account.retries = number;
            return context.inFlight.track(answered(answerTo(run, request, sending), after));
          });
        return slot(client.credentials.use(ask, () => {})).pipe(
          catchError((thrown) => {
            throw isOnce ? ifUnsent(asExtractError(thrown)) : thrown;
          }),
        );
      },
    );
    return answers.pipe(
      finalize(() => {
        if (account.hasSpent()) totals.spend(name, account.spend());
      }),
    );
  });
}

/** A failure of the connection after the request was sent is final. */
function ifUnsent(error: ExtractError): ExtractError {
  const isOpen = (error.code === 'ERR_TRANSPORT' || error.code === 'ERR_BODY_CUT') && error.where.unsent !== true;
  if (!isOpen) return error;
  const remedy =
    'The API may have created the report. If it knows a header such as Idempotency-Key, name it in `idempotencyKey` of `create`: then the request is sent again. Else run again: a new report is created.';
  return error.at({ final: true, remedy });
}

async function answered(answer: Promise<ReportAnswer>, after: SendOptions['after']): Promise<ReportAnswer> {
  const given = await answer;
  await after?.(given);
  return given;
}

async function answerTo(
  { client, context }: RunScope,
  request: PageRequest,
  sending: RequestContext,
): Promise<ReportAnswer> {
  const response = await client.ask(request, sending);
  const bytes = await readWhole(response.body, refuseTooLarge);
  const text = bytes.toString('utf8');
  return {
    view: viewOf(response.status, response.headers, parsed(text)),
    excerpt: context.secrets.excerpt(text, longestExcerpt),
    retryAfter: Math.max(0, waitOf(response, client.retry)),
  };
}

const waitOf = ({ headers }: HttpResponse, retry: RetryPolicy['retry']): number =>
  retryAfter({ headers }, retry, asyncScheduler.now()) ?? 0;

function refuseTooLarge(length: number): void {
  if (length <= mostBytes) return;
  throw new ExtractError('ERR_REPORT', `a response about the report is larger than ${mostBytes} bytes`);
}

function parsed(text: string): Exact | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
