/** Who follows requests: plain interfaces that rooms exchange. What implements them is in `src/run/`. */
import type { Headers } from './request.js';

/** The host of an API. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ObservedRequest {
  readonly method: string;
  readonly server: ServerAddress;
  /** The address, with secrets masked. */
  url(): string;
}

/** Follows one request. */
export interface RequestWatch {
  /** Headers to add if the request goes to an origin that gets those of the configuration. */
  readonly headers?: Headers | undefined;
  /** The head of the response has arrived. */
  responds(status: number): void;
  /** All of it has arrived, or no more is read. `code`: it failed, with this code. */
  ends(code?: string): void;
}

/** Follows the requests of a page, of a login, or of a report. */
export interface RequestsWatch {
  /** A request is sent: each attempt and each redirect. */
  request(request: ObservedRequest): RequestWatch;
}
