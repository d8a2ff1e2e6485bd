/** The error class of rxtract, and what to do about an error. */
import { type ErrorCode, errorCodes } from './error-codes.js';
import { systemError } from './system-error.js';
import { systemRemedy } from './system-remedies.js';

/**
 * A problem in a configuration. `path` is dotted, from the root of the document. The message never contains a secret.
 */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/**
 * Where a run-time error happened. `request` is already masked; `page` counts from 0; `offset` is in bytes of the
 * decoded body.
 */
export interface Where {
  readonly job?: string;
  /** Path in the configuration of the expression that failed; the message begins with it. */
  readonly path?: string;
  readonly page?: number;
  readonly request?: string;
  readonly offset?: number;
  readonly status?: number;
  /** The transport failure, by curl's number; `retryConfig.curl.codes` lists such numbers. */
  readonly transport?: number;
  /** Epoch ms since when no connection to the origin succeeded: it has not responded once in this run. */
  readonly absentSince?: number;
  /** No part of the request was sent. */
  readonly unsent?: true;
  /** The value of the retry header that the configuration names, as received. */
  readonly retryAfter?: string;
  /** A rule of `responseRules` asks for the request again. */
  readonly ruled?: true;
  /** The response rejects the credentials of the request. */
  readonly refused?: true;
  /** The request was a login. */
  readonly login?: true;
  /** The name of the sink that failed, in a run with several. */
  readonly sink?: string;
  /** The option of the run that is wrong; the message begins with its name. */
  readonly option?: string;
  /** Items of the failed page stay in the sink, because it cannot roll back. */
  readonly kept?: true;
  /** The attempts are used up: no caller retries. */
  readonly final?: true;
  /** What to do, if it is more specific than the remedy of the code. */
  readonly remedy?: string;
}

export interface ExtractErrorOptions extends Where {
  readonly cause?: unknown;
  readonly problems?: readonly Problem[];
}

/** The one error class of rxtract: a stable code, a masked message, and the place. */
export class ExtractError extends Error {
  override readonly name = 'ExtractError';
  readonly code: ErrorCode;
  readonly where: Where;
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, message: string, { cause, problems = [], ...where }: ExtractErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.where = where;
    this.problems = problems;
  }

  /** Copies the error and adds a place. Members that are set already stay. */
  at(where: Where): ExtractError {
    return new ExtractError(this.code, this.message, {
      ...where,
      ...this.where,
      problems: this.problems,
      cause: this.cause,
    });
  }
}

/** Returns an ExtractError as it is, and wraps any other value: `code`, with the value as its cause. */
export function asExtractError(thrown: unknown, code: ErrorCode = 'ERR_INTERNAL'): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  return new ExtractError(code, thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** curl's number for a time-out. */
const timeOut = 28;
const timeOutRemedy =
  'Check that the API responds, for example with curl. If it is slow, raise the time-out in the message, or request smaller pages.';

/** curl's number for a certificate that is not trusted. */
const untrusted = 60;
const untrustedRemedy =
  'Check the host in the URL, and whether its certificate has expired. If your own certificate authority signed it, set `api.caCertificate` to the certificate of that authority.';

/** Returns what to do about an error. It is more specific than the remedy of the code where the place is known. */
export function remedyFor({ code, where, cause }: ExtractError): string {
  if (where.remedy !== undefined) return where.remedy;
  if (code === 'ERR_TRANSPORT' && where.transport === timeOut) return timeOutRemedy;
  if (code === 'ERR_TRANSPORT' && where.transport === untrusted) return untrustedRemedy;
  if (where.absentSince !== undefined && code === 'ERR_TRANSPORT') return absentRemedy;
  if (where.refused === true) return refusedRemedy;
  if (code === 'ERR_STATUS' && where.status !== undefined) return statusRemedy(where.status, where.login === true);
  const known = code === 'ERR_SINK' ? systemRemedy(cause) : undefined;
  if (known !== undefined) return `${known} ${ofSink}`;
  const unread = code === 'ERR_CONFIG_SYNTAX' ? systemError(cause) : undefined;
  if (unread === undefined) return errorCodes[code].remedy;
  const isMissing = unread.code === 'ENOENT';
  return `Check the path: it must be a readable file.${isMissing ? ' `rxtract init URL` writes a new configuration.' : ''}`;
}

/** After the remedy of its cause. */
const ofSink = 'With `--state` and `--resume` the run continues there.';

const absentRemedy =
  'Check host and port, and that the server runs. Without `api.retryConfig.maxRetries` the run waits 10 seconds for a server that does not respond; set it to wait longer.';

const refusedRemedy = 'Check the credentials and their permissions.';

function statusRemedy(status: number, isLogin: boolean): string {
  const request = isLogin ? '`loginRequest` (with `oauth2` the `tokenEndpoint`)' : 'the job';
  if (isLogin && [400, 401, 403, 422].includes(status)) {
    return 'Check the credentials, and the names of the parameters and headers that `loginRequest` sends.';
  }
  if (status === 401 || status === 403) return refusedRemedy;
  if (status === 404 || status === 410) {
    return `Check the \`endpoint\` of ${request}, and \`baseUrl\`: without a slash at its end its last segment is replaced.`;
  }
  if (status === 408 || status === 429 || status >= 500) {
    return 'The API is overloaded or fails: run again later, or retry more often (`maxRetries`, `http.codes` of `api.retryConfig`).';
  }
  return `Compare method, parameters and headers of ${request} with what the API expects. The message shows the start of its response.`;
}
