/** The requests of a login: attempts of their own, apart from those of the page that waits for it, and counted apart. */
import { map, type Observable } from 'rxjs';
import { fromAbortable } from '../../operators/from-abortable.js';
import type { LoginReply, LoginRequest } from '../auth/types.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import type { IgnoredStatuses } from './ignore-errors.js';
import { buildLoginRequest, type RequestRules } from './request.js';
import type { Exchange } from './status-check.js';
import type { Reply } from './transport/transport.js';
import { type RetryPolicy, withRetry } from './with-retry.js';

export interface LoginRequester {
  /** Sends one request of a login; cold. Errors say that it was the login. */
  ask(request: LoginRequest): Observable<LoginReply>;
  /** Requests, redirects included, since this was last called. */
  take(): number;
}

export interface LoginNeeds {
  readonly exchange: Exchange;
  readonly rules: RequestRules;
  readonly policy: RetryPolicy;
  /** Statuses that the type wants to see. */
  readonly takes: IgnoredStatuses | undefined;
  /** Whether only what was never sent of it is tried again. */
  readonly isSentOnce: (request: LoginRequest) => boolean;
}

/** The largest reply, in bytes. */
const maxLoginBytes = 16 * 1024 * 1024;

/** Makes the way that a type's logins go. */
export function createLoginRequester({ exchange, rules, policy, takes, isSentOnce }: LoginNeeds): LoginRequester {
  let requests = 0;
  const count = (more: number) => {
    requests += more;
  };
  const attempt = async (request: LoginRequest, last: boolean, signal: AbortSignal): Promise<LoginReply> => {
    try {
      const reply = await exchange(buildLoginRequest(request, rules), { last, signal, count, ignored: takes });
      return { status: reply.status, body: await readWhole(reply) };
    } catch (thrown) {
      throw ofLogin(asExtractError(thrown));
    }
  };

  return {
    ask: (request) =>
      withRetry({ ...policy, isOnce: isSentOnce(request) }, {}, ({ last }) =>
        fromAbortable((signal) => attempt(request, last, signal)),
      ).pipe(map(({ value }) => value)),
    take() {
      const taken = requests;
      requests = 0;
      return taken;
    },
  };
}

/** Says that it was the login that failed, where the words do not say so yet. */
function ofLogin(error: ExtractError): ExtractError {
  if (error.code === 'ERR_LOGIN' || error.code === 'ERR_ABORTED') return error;
  const { code, message, cause, problems, where } = error;
  return new ExtractError(code, `the login request ${message}`, { ...where, cause, problems, login: true });
}

async function readWhole(reply: Reply): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of reply.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxLoginBytes)
      throw new ExtractError('ERR_LOGIN', `the reply to the login is larger than ${maxLoginBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
