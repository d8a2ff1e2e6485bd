/**
 * Maps transport failures to curl numbers, which the configuration uses for retries, and to errors with a plain reason.
 */

import type { ErrorCode } from '../../core/errors/error-codes.js';
import { ExtractError } from '../../core/errors/errors.js';
import { lateCode, lineCodes, resetCode } from './codes.js';

export interface Failure {
  /** The curl number; absent: curl has none, never retried. */
  readonly transport?: number;
  readonly reason: string;
  /** No byte of the request can have been sent. */
  readonly unsent?: true;
  /** Overrides the default error code. */
  readonly error?: ErrorCode;
}

const timeout = (reason: string): Failure => ({ transport: 28, reason });
const noHost: Failure = { transport: 6, reason: 'the host name was not found', unsent: true };
const noConnection = (reason: string): Failure => ({ transport: 7, reason, unsent: true });
/** The code of the error that aborts a response without a valid status. */
export const badStatusCode = 'HPE_INVALID_STATUS';

const badReply: Failure = { transport: 8, reason: 'the response is not valid HTTP' };
const reset: Failure = { transport: 56, reason: 'the connection was reset' };
const certificate: Failure = { transport: 60, reason: 'the certificate of the server was rejected' };

/** By the code of undici or Node. */
const failures = new Map<string, Failure>([
  ['UND_ERR_CONNECT_TIMEOUT', { ...timeout('no connection in time (`api.http.connectTimeout`)'), unsent: true }],
  ['ETIMEDOUT', timeout('no connection in time')],
  ['UND_ERR_HEADERS_TIMEOUT', timeout('no response in time (`api.http.headersTimeout`)')],
  ['UND_ERR_BODY_TIMEOUT', timeout('the response stalled for longer than `api.http.idleTimeout` allows')],
  [lateCode, timeout('the response was not complete in time (`api.http.requestTimeout`)')],
  ['ENOTFOUND', noHost],
  ['EAI_AGAIN', noHost],
  ['ECONNREFUSED', noConnection('the connection was refused')],
  ['EHOSTUNREACH', noConnection('the host cannot be reached')],
  ['ENETUNREACH', noConnection('the network cannot be reached')],
  ['EHOSTDOWN', noConnection('the host is down')],
  ['ENETDOWN', noConnection('the network is down')],
  ['EADDRNOTAVAIL', noConnection('the address is not available')],
  ['EPROTO', { transport: 35, reason: 'the TLS handshake failed' }],
  ['UND_ERR_SOCKET', { transport: 52, reason: 'the server closed the connection without a response' }],
  ['UND_ERR_HEADERS_OVERFLOW', { transport: 8, reason: 'the response headers are too large' }],
  ['ECONNRESET', reset],
  [resetCode, reset],
  ['EPIPE', reset],
  ['ECONNABORTED', reset],
  [lineCodes.broken, { transport: 56, reason: 'the SSH tunnel broke' }],
  [lineCodes.noHost, { ...noHost, reason: 'the SSH server did not find the host name' }],
  [lineCodes.noConnection, noConnection('the SSH server could not connect to the host')],
  [lineCodes.forbidden, { error: 'ERR_TUNNEL', reason: 'the SSH server does not allow forwarding to this address' }],
  ['CERT_HAS_EXPIRED', certificate],
  ['CERT_NOT_YET_VALID', certificate],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', certificate],
  ['SELF_SIGNED_CERT_IN_CHAIN', certificate],
  ['UNABLE_TO_GET_ISSUER_CERT', certificate],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', certificate],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', certificate],
  ['CERT_UNTRUSTED', certificate],
  ['CERT_REVOKED', certificate],
  ['ERR_TLS_CERT_ALTNAME_INVALID', certificate],
]);

const cut: Failure = { transport: 18, reason: 'the body ended before it was complete' };
const cutByReset: Failure = { transport: 56, reason: 'the connection was reset before the body was complete' };
const badEncoding: Failure = { transport: 61, reason: 'the body does not match its Content-Encoding header' };

/** Within a body the same codes have another meaning. */
const bodyFailures = new Map<string, Failure>([
  ['UND_ERR_SOCKET', cut],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', cut],
  ['HPE_INVALID_EOF_STATE', cut],
  ['Z_BUF_ERROR', cut],
  ['ECONNRESET', cutByReset],
  [resetCode, cutByReset],
  [lineCodes.broken, { transport: 56, reason: 'the SSH tunnel broke before the body was complete' }],
]);

/** The curl number of the transport failure behind an error; undefined: not a transport failure. */
export const transportCode = (error: unknown): number | undefined =>
  error instanceof ExtractError ? error.where.transport : undefined;

/**
 * The code of connector errors with a failure of their own. Not one of undici's codes: for some of them undici
 * reconnects for ever.
 */
const connectorCode = 'CONNECTOR_FAILURE';

/** Creates an error of a connector; `connectionError` describes its failure. */
export const connectorError = (failure: Failure, cause?: unknown): Error =>
  Object.assign(new Error(failure.reason, { cause }), { code: connectorCode, failure });

function failureOf(thrown: unknown): { readonly failure: Failure; readonly code: string } {
  const code = codeOf(thrown);
  if (code === connectorCode && thrown instanceof Error && 'failure' in thrown) {
    return { failure: thrown.failure as Failure, code: codeOf(thrown.cause) }; // created by `connectorError`
  }
  return { failure: failures.get(code) ?? guess(code), code };
}

/** Describes a failed connection, with its curl number. */
export function transportFailure(thrown: unknown): Failure {
  const code = codeOf(thrown);
  return failures.get(code) ?? guess(code);
}

/**
 * Turns a connection error before the headers into an ERR_TRANSPORT. `request` is masked. With `redirects` above 0 the
 * error never counts as unsent.
 */
export function connectionError(thrown: unknown, request: string, redirects = 0): ExtractError {
  if (thrown instanceof ExtractError) return thrown.at({ request });
  const { failure, code } = failureOf(thrown);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return badRequest(thrown, request);
  const error = failed(failure.error ?? 'ERR_TRANSPORT', failure, { request, code, cause: thrown });
  return failure.unsent === true && redirects === 0 ? error.at({ unsent: true }) : error;
}

/** Turns a body error into an ERR_BODY_CUT if the body ended early, else into an ERR_TRANSPORT. `request` is masked. */
export function bodyError(thrown: unknown, request: string): ExtractError {
  if (thrown instanceof ExtractError) return thrown.at({ request });
  const code = codeOf(thrown);
  const failure = bodyFailures.get(code) ?? failures.get(code) ?? guess(code);
  const isCut = failure.transport === 18 || failure.transport === 56;
  return failed(isCut ? 'ERR_BODY_CUT' : 'ERR_TRANSPORT', failure, { request, code, cause: thrown });
}

interface FailureContext {
  readonly request: string;
  readonly code: string;
  readonly cause: unknown;
}

function failed(
  error: ErrorCode,
  { transport, reason }: Failure,
  { request, code, cause }: FailureContext,
): ExtractError {
  const suffix = code === '' ? '' : ` (${code})`;
  const number = transport === undefined ? {} : { transport };
  return new ExtractError(error, `${request}: ${reason}${suffix}`, { request, ...number, cause });
}

function badRequest(thrown: unknown, request: string): ExtractError {
  const reason = thrown instanceof Error ? thrown.message : 'it cannot be sent';
  return new ExtractError('ERR_REQUEST', `${request}: ${reason}`, { request });
}

function guess(code: string): Failure {
  if (code.startsWith('ERR_SSL_')) return { transport: 35, reason: 'the TLS handshake failed' };
  if (code.startsWith('HPE_')) return badReply;
  if (/^(Z_|ZSTD_|ERR_BROTLI|ERR__)/.test(code)) return badEncoding;
  return { reason: 'the connection failed' };
}

/** The code of an error, or of the first of several connection attempts. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && !('code' in thrown)) return codeOf(thrown.errors[0]);
  if (!(thrown instanceof Error)) return '';
  if (thrown.name === 'HTTPParserError') return /EOF/.test(thrown.message) ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID';
  if (!('code' in thrown)) return '';
  return typeof thrown.code === 'string' ? thrown.code : '';
}
