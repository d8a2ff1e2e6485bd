/**
 * Transport failures by the numbers of curl, in which the configuration lists those to retry, and as errors with a
 * plain reason.
 */

import type { ErrorCode } from '../../core/errors/error-codes.js';
import { ExtractError } from '../../core/errors/errors.js';
import { lateCode, lineCodes, resetCode } from './codes.js';

export interface Failure {
  /** Absent: none that curl has a number for, never retried. */
  readonly transport?: number;
  readonly reason: string;
  /** Nothing of the request can have gone out by then. */
  readonly unsent?: true;
  /** Where it is not the one of its kind. */
  readonly error?: ErrorCode;
}

const timeout = (reason: string): Failure => ({ transport: 28, reason });
const noHost: Failure = { transport: 6, reason: 'the host name was not found', unsent: true };
const noConnection = (reason: string): Failure => ({ transport: 7, reason, unsent: true });
/** What an answer without a valid status is aborted with, as the code of that error. */
export const badStatusCode = 'HPE_INVALID_STATUS';

const badReply: Failure = { transport: 8, reason: 'the response is not valid HTTP' };
const reset: Failure = { transport: 56, reason: 'the connection was reset' };
const certificate: Failure = { transport: 60, reason: 'the certificate of the server was rejected' };

/** By the code that undici or Node gives. */
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

/** Once a body has begun, the same codes mean something else. */
const bodyFailures = new Map<string, Failure>([
  ['UND_ERR_SOCKET', cut],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', cut],
  ['HPE_INVALID_EOF_STATE', cut],
  ['Z_BUF_ERROR', cut],
  ['ECONNRESET', cutByReset],
  [resetCode, cutByReset],
  [lineCodes.broken, { transport: 56, reason: 'the SSH tunnel broke before the body was complete' }],
]);

/** The number curl gives to the transport failure that caused an error; undefined: it is none. */
export const transportCode = (error: unknown): number | undefined =>
  error instanceof ExtractError ? error.where.transport : undefined;

/**
 * The code of what a connector throws because of a proxy: none that undici has rules of its own for, some of which
 * connect for ever.
 */
const proxyCode = 'PROXY_FAILURE';

/** Makes the error that a connector throws because of a proxy; `connectionError` describes its failure. */
export const proxyError = (failure: Failure, cause?: unknown): Error =>
  Object.assign(new Error(failure.reason, { cause }), { code: proxyCode, failure });

function failureOf(thrown: unknown): { readonly failure: Failure; readonly code: string } {
  const code = codeOf(thrown);
  if (code === proxyCode && thrown instanceof Error && 'failure' in thrown) {
    return { failure: thrown.failure as Failure, code: codeOf(thrown.cause) }; // made by `proxyError`
  }
  return { failure: failures.get(code) ?? guess(code), code };
}

/** What kept a connection from being made, in words, with the number of curl. */
export function transportFailure(thrown: unknown): Failure {
  const code = codeOf(thrown);
  return failures.get(code) ?? guess(code);
}

/**
 * Turns what a connection threw before the headers were there into an ERR_TRANSPORT. `request` is masked; after
 * `redirects` something of it has gone out, whatever the connection says.
 */
export function connectionError(thrown: unknown, request: string, redirects = 0): ExtractError {
  if (thrown instanceof ExtractError) return thrown.at({ request });
  const { failure, code } = failureOf(thrown);
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return badRequest(thrown, request);
  const error = failed(failure.error ?? 'ERR_TRANSPORT', failure, { request, code, cause: thrown });
  return failure.unsent === true && redirects === 0 ? error.at({ unsent: true }) : error;
}

/**
 * Turns what a body threw into an ERR_BODY_CUT, or an ERR_TRANSPORT where it did not simply end. `request` is masked.
 */
export function bodyError(thrown: unknown, request: string): ExtractError {
  if (thrown instanceof ExtractError) return thrown.at({ request });
  const code = codeOf(thrown);
  const failure = bodyFailures.get(code) ?? failures.get(code) ?? guess(code);
  const isCut = failure.transport === 18 || failure.transport === 56;
  return failed(isCut ? 'ERR_BODY_CUT' : 'ERR_TRANSPORT', failure, { request, code, cause: thrown });
}

interface Found {
  readonly request: string;
  readonly code: string;
  readonly cause: unknown;
}

function failed(error: ErrorCode, { transport, reason }: Failure, { request, code, cause }: Found): ExtractError {
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

/** The code of an error, or of the first of several attempts to connect. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && !('code' in thrown)) return codeOf(thrown.errors[0]);
  if (!(thrown instanceof Error)) return '';
  if (thrown.name === 'HTTPParserError') return /EOF/.test(thrown.message) ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID';
  if (!('code' in thrown)) return '';
  return typeof thrown.code === 'string' ? thrown.code : '';
}
