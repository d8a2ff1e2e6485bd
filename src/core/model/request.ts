/** Requests, as paginators describe them and as they are sent. */
import type { Exact, ExactObject } from '../json/exact.js';
import type { Notice } from './notice.js';

export type Method = 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

/** Header name as configured -> its values, one header line each. Names are compared case-insensitively. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/** A request that a paginator asks for: plain data, before defaults, encoding and credentials. */
export interface PageRequest {
  readonly endpoint: string;
  /** Absent: the default of `api.http.defaultOptions.method`, else GET. */
  readonly method?: Method;
  readonly params: ExactObject;
  readonly headers: Headers;
  /**
   * The endpoint is a link from a response: its query is not a parameter of the job.
   * docs/12-compatibility.md#parameters.
   */
  readonly link?: true;
  /** Names in `params` that come from a link and not from the job. docs/12-compatibility.md#parameters. */
  readonly linkNames?: readonly string[];
  /** Values at paths in the JSON body, set after the defaults were merged into `params`. */
  readonly placed?: readonly Placed[];
  /** Without parameters it has no body, whatever its method. */
  readonly isBare?: true;
  /** A warning about this request; it is reported once and not stored. */
  readonly warning?: Notice;
}

/** A value at a path in the JSON body of a request. */
export interface Placed {
  readonly path: readonly string[];
  readonly value: Exact;
}

/** A request as it is sent. `url` is absolute and encoded; `method` is the HTTP method. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string;
  /**
   * Names in the query of `url` that come from a link or a redirect only: a login value replaces them.
   * docs/12-compatibility.md#parameters.
   */
  readonly linkNames?: ReadonlySet<string>;
}

/** The HTTP method: FORM is sent as POST. */
export const httpMethod = (method: Method): string => (method === 'FORM' ? 'POST' : method);
