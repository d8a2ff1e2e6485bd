/**
 * The configuration as the engine sees it: read, checked, defaults filled in, nothing evaluated yet. With iterations
 * there is one of them for each.
 */
import type { Rate } from '../../operators/window-log.js';
import type { AuthContext, Authenticator } from '../auth/types.js';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { DataField } from '../core/model/job.js';
import type { Method } from '../core/model/request.js';
import type { RetryConfig } from '../core/model/retry.js';
import type { AllowedHost } from '../core/url/allowed-hosts.js';
import type { Paginator } from '../pagination/types.js';
import type { AwsCredentials } from './aws.js';
import type { Placeholder } from './children/placeholders.js';
import type { RecursionFilter } from './children/recursion-filter.js';
import type { ResponseFilter } from './children/response-filter.js';
import type { SshProxy } from './ssh-proxy.js';
import type { TableSettings } from './table-settings.js';

export interface Config {
  /** A text, or an expression over `attr`. */
  readonly baseUrl: Exact;
  /** Where `api` stands in the document. */
  readonly apiPath: string;
  readonly http: HttpConfig;
  /** Of connections; absent: as Node has it. */
  readonly tls?: Tls;
  /** `config.http.headers`: expressions over `attr`. */
  readonly configHeaders: ExactObject;
  readonly retry: RetryConfig;
  /** What all requests go through; the same for each iteration. */
  readonly sshProxy?: SshProxy;
  /** What every request is signed with; the same for each iteration. */
  readonly aws?: AwsCredentials;
  /** Starts the configured type with its options; absent: requests go out without credentials. */
  readonly authentication?: (needs: AuthContext) => Authenticator;
  readonly scroller: Paginator;
  /** Where requests may go; empty: anywhere. */
  readonly allowedHosts: readonly AllowedHost[];
  /** The `authorization` section of the document; empty where there is none. */
  readonly authorization: ExactObject;
  /** All of `config` but its jobs: what `attr` refers to. */
  readonly attr: ExactObject;
  readonly tables: TableSettings;
  /** Absent: answers are not kept. */
  readonly cache?: CacheConfig;
  /** Every request is told. */
  readonly debug: boolean;
  /** In listed order; no two of one name. */
  readonly jobs: readonly JobConfig[];
}

export interface CacheConfig {
  /** For which an answer is used again. */
  readonly ttlSeconds: number;
  /** A digest of whoever asks. */
  readonly asker: string;
}

/** In ms; absent: the default. */
export interface Timeouts {
  readonly connectTimeout?: number;
  /** Until the head of an answer is there. */
  readonly headersTimeout?: number;
  /** Of silence within its body. */
  readonly idleTimeout?: number;
  /** For a whole answer. */
  readonly requestTimeout?: number;
}

export interface HttpConfig extends Timeouts {
  /** `api.http.headers`: expressions over `attr`. */
  readonly headers: ExactObject;
  /** Sent as they stand. docs/12-compatibility.md#headers. */
  readonly defaultOptions: ConfiguredDefaults;
  /**
   * Origins that may have credentials though no request of the configuration leads there: `https://host:port`, as URL
   * writes them.
   */
  readonly credentialOrigins: readonly string[];
  /** Statuses whose answers are pages; 0: failures of the connection too. */
  readonly ignoreErrors: ReadonlySet<number>;
  /** How often requests may go out, all of these at once; the same for each iteration. */
  readonly rateLimit: readonly Rate[];
  /** Requests wait where the headers of an answer say that none remains. */
  readonly heedsRateLimit: boolean;
}

/** Certificates. */
export interface Tls {
  readonly pem: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Where the first of them stands in the document. */
  readonly path: string;
}

export interface ConfiguredDefaults {
  readonly method?: Method;
  readonly params: ExactObject;
  readonly headers: ExactObject;
}

export interface JobConfig {
  /** Unique within the configuration: data type or endpoint, with `#2`, `#3` where that is taken. */
  readonly name: string;
  readonly endpoint: string;
  readonly method?: Method;
  /** Expressions over `attr` and `time`. */
  readonly params: ExactObject;
  /** Sent as they stand. */
  readonly headers: ExactObject;
  readonly dataField: DataField;
  readonly dataType: string;
  /** Its own pagination, or the one that it names, in the place of that of the API. */
  readonly scroller?: Paginator;
  /** Absent: as its scroller has it. */
  readonly allowRepeatedItems?: boolean;
  /** Paths in an item whose values children see as JSON text; none: an empty list. */
  readonly responseFilter: ResponseFilter;
  /** Expressions over `attr` and `time`: members of each item, those of `config.userData` included. */
  readonly userData: ExactObject;
  readonly children: readonly ChildConfig[];
  /** Where the job stands in the document: `config.jobs[0]`. */
  readonly path: string;
}

/** A job that is walked for each item of its parent. */
export interface ChildConfig extends JobConfig {
  /** Its own; those of its parent hold too. */
  readonly placeholders: readonly Placeholder[];
  readonly recursionFilter?: RecursionFilter;
}
