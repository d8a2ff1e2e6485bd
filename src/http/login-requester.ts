/** Sends the requests of a login: with their own attempts and their own count, separate from the page that waits. */
import { map, type Observable } from 'rxjs';
import type { LoginReply, LoginRequest } from '../auth/types.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { readWhole } from './body.js';
import { buildLoginRequest, type RequestRules } from './request.js';
import { createRequestScope, type RequestContext } from './request-context.js';
import type { Handler } from './types.js';
import { type RetryPolicy, withRetry } from './with-retry.js';

export interface LoginRequester {
  /** Sends one login request; cold. Error messages mention the login. */
  ask(request: LoginRequest): Observable<LoginReply>;
  /** Returns the number of requests, redirects included, since the last call. */
  take(): number;
}

export interface LoginRequesterOptions {
  /** The login pipeline. */
  readonly send: Handler;
  readonly rules: RequestRules;
  readonly policy: RetryPolicy;
  /** Whether the request may be retried only if it was never sent. */
  readonly isSentOnce: (request: LoginRequest) => boolean;
}

/** The largest reply, in bytes. */
const maxLoginBytes = 16 * 1024 * 1024;

/** Creates the login requester of an API. */
export function createLoginRequester({ send, rules, policy, isSentOnce }: LoginRequesterOptions): LoginRequester {
  let requests = 0;
  const onRequest = (more: number) => {
    requests += more;
  };
  const login = async (request: LoginRequest, context: RequestContext): Promise<LoginReply> => {
    try {
      const response = await send(buildLoginRequest(request, rules), context);
      return { status: response.status, body: await readWhole(response.body, refuseTooLarge) };
    } catch (thrown) {
      throw ofLogin(asExtractError(thrown));
    }
  };

  return {
    ask: (request) =>
      withRetry({ ...policy, isOnce: isSentOnce(request) }, {}, ({ last }) =>
        createRequestScope().attempt({ isLast: last, onRequest, watch: request.watch }, (context) =>
          login(request, context),
        ),
      ).pipe(map(({ value }) => value)),
    take() {
      const taken = requests;
      requests = 0;
      return taken;
    },
  };
}

function refuseTooLarge(length: number): void {
  if (length <= maxLoginBytes) return;
  throw new ExtractError('ERR_LOGIN', `the login response is larger than ${maxLoginBytes} bytes`);
}

/** Adds to an error message that the login failed, unless it contains that already. */
function ofLogin(error: ExtractError): ExtractError {
  if (error.code === 'ERR_LOGIN' || error.code === 'ERR_ABORTED') return error;
  const { code, message, cause, problems, where } = error;
  return new ExtractError(code, `the login request ${message}`, { ...where, cause, problems, login: true });
}
