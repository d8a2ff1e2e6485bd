/** The shapes of the request pipeline: handlers, interceptors, responses and their bodies. */
import type { Revalidated } from '../core/model/page.js';
import type { HttpRequest } from '../core/model/request.js';
import type { ByteSource } from '../core/util/byte-source.js';
import type { PageVerdict } from '../page/judge-response.js';
import type { RequestContext } from './request-context.js';

/**
 * The body of a response: read it once, or cancel it. The connection pauses while the reader is busy; an error of the
 * reader ends it. Throws ERR_BODY_CUT, ERR_BODY_SIZE, ERR_TRANSPORT, ERR_ABORTED; never while the reader is busy.
 */
export interface HttpBody extends ByteSource {
  /** Closes the connection; later reads fail. */
  cancel(): void;
}

/** Header names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What is known of a file whose bytes are not. */
export interface FileDigest {
  readonly size: number;
  readonly sha256: string;
}

/** A response: its head, and its unread body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The value of `Content-Type`; undefined: there is none. */
  readonly contentType: string | undefined;
  /** The request of this response, after redirects and with its credentials: mask before showing. */
  readonly request: HttpRequest;
  /** The body ends with its connection: a truncated body looks complete. */
  readonly isOpenEnded: boolean;
  readonly body: HttpBody;
  /** The address of the response if it differs from the request's, without user information and query. */
  readonly address?: string;
  /** A rule on its status has decided what becomes of the page; absent: none has. */
  readonly verdict?: PageVerdict;
  /** Its validators, or that it has not changed; absent: its job does not ask, or it has none. */
  readonly revalidated?: Revalidated;
  /** When the cache stored it, in epoch ms; absent: not from the cache. */
  readonly storedAt?: number;
  /** A recording has the digest of its body in place of the body; absent: the body is there. */
  readonly digest?: FileDigest;
  /** Removes it from the cache; absent: not in the cache. */
  readonly forget?: () => Promise<void>;
}

/** Sends a request. Throws ExtractErrors. */
export type Handler = (request: HttpRequest, context: RequestContext) => Promise<HttpResponse>;

/** One step around a handler. It may change the request, inspect the response, wait, or respond itself. */
export type Interceptor = (next: Handler) => Handler;
