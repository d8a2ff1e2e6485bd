/** Requests: as pagination asks for them, and as they go on the wire. */
import type { Exact, ExactObject } from '../json/exact.js';
import type { Notice } from './notice.js';

export type Method = 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

/** Header name as configured -> its values, one header line each. Names are compared without case. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/** What a scroller asks for: pure data, before defaults, encoding and credentials. */
export interface PageRequest {
  readonly endpoint: string;
  /** Absent: the default of `api.http.defaultOptions.method`, else GET. */
  readonly method?: Method;
  readonly params: ExactObject;
  readonly headers: Headers;
  /**
   * The endpoint is a link that a response gave: what its query carries is no parameter of the job.
   * docs/12-compatibility.md#parameters.
   */
  readonly link?: true;
  /** Names in `params` that a link brought, none of them the job's. docs/12-compatibility.md#parameters. */
  readonly linkNames?: readonly string[];
  /** Values at paths into the JSON body, set once the defaults are laid under `params`. */
  readonly placed?: readonly Placed[];
  /** What a user should know of this step; it is said, and travels no further. */
  readonly warning?: Notice;
}

/** A value at a path into the JSON body of a request. */
export interface Placed {
  readonly path: readonly string[];
  readonly value: Exact;
}

/** A request as it goes on the wire. `url` is absolute and encoded; `method` is the wire method. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string;
  /**
   * Names in the query of `url` that only a link or a redirect brought: a login value replaces them.
   * docs/12-compatibility.md#parameters.
   */
  readonly linkNames?: ReadonlySet<string>;
}
