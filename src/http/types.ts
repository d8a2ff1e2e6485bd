/** The shapes of the request pipeline: handlers, interceptors, responses and their bodies. */
import type { HttpRequest } from '../core/model/request.js';
import type { ByteSource } from '../core/util/byte-source.js';
import type { RequestContext } from './request-context.js';

/**
 * The body of a response: it is read once, or cancelled. While its reader waits, the connection is paused; a throw of
 * the reader ends it. Throws ERR_BODY_CUT, ERR_BODY_SIZE, ERR_TRANSPORT, ERR_ABORTED; never while the reader still
 * waits.
 */
export interface HttpBody extends ByteSource {
  /** Ends the connection; what is read afterwards fails. */
  cancel(): void;
}

/** Header names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A response: its head, and its body to be read. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The value of `Content-Type`; undefined: there is none. */
  readonly contentType: string | undefined;
  /** The request that was answered, after redirects and with its credentials: mask before showing. */
  readonly request: HttpRequest;
  /** The body ends where its connection does: one that was cut short looks as if it were whole. */
  readonly isOpenEnded: boolean;
  readonly body: HttpBody;
  /** The address that answered where it is not that of the request, without user information and query. */
  readonly address?: string;
  /** When it was stored in the cache, in epoch ms; absent: it has just come. */
  readonly storedAt?: number;
  /** Removes it from the cache; absent: it is not there. */
  readonly forget?: () => Promise<void>;
}

/** Sends a request. Throws ExtractErrors. */
export type Handler = (request: HttpRequest, context: RequestContext) => Promise<HttpResponse>;

/** One step around a handler. It changes the request, looks at the response, waits, or answers itself. */
export type Interceptor = (next: Handler) => Handler;
