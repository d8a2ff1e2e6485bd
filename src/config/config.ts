/**
 * A configuration that was read and validated, with its defaults, but not evaluated. There is one for each iteration.
 */
import type { Rate } from '../../operators/window-log.js';
import type { AuthContext, Authenticator } from '../auth/types.js';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { DataField } from '../core/model/job.js';
import type { Method } from '../core/model/request.js';
import type { ResponseFormat } from '../core/model/response-format.js';
import type { RetryConfig } from '../core/model/retry.js';
import type { AllowedHost } from '../core/url/allowed-hosts.js';
import type { IncrementalConfig } from '../incremental/incremental-config.js';
import { placesOf, type ResponseRule } from '../language/condition/response-rule.js';
import type { Paginator } from '../pagination/types.js';
import type { AwsCredentials } from './aws.js';
import type { Placeholder } from './children/placeholders.js';
import type { RecursionFilter } from './children/recursion-filter.js';
import type { ResponseFilter } from './children/response-filter.js';
import type { DownloadConfig } from './download.js';
import type { PlainJobOptions } from './job-fields.js';
import type { ErrorRule } from './on-error.js';
import type { EachList } from './partition/each.js';
import type { WindowSettings } from './partition/windows.js';
import type { ReportConfig } from './report/read-report.js';
import type { SshProxy } from './ssh-proxy.js';
import type { TableSettings } from './table-settings.js';

export interface Config {
  /** A string, or an expression over `attr`. */
  readonly baseUrl: Exact;
  /** The path of `api` in the document. */
  readonly apiPath: string;
  readonly http: HttpConfig;
  /** Of connections; absent: Node's defaults. */
  readonly tls?: Tls;
  /** `config.http.headers`: expressions over `attr`. */
  readonly configHeaders: ExactObject;
  readonly retry: RetryConfig;
  /** The SSH tunnel of all requests; the same for each iteration. */
  readonly sshProxy?: SshProxy;
  /** The keys that sign every request; the same for each iteration. */
  readonly aws?: AwsCredentials;
  /** Creates the configured type with its options; absent: requests have no credentials. */
  readonly authentication?: (context: AuthContext) => Authenticator;
  readonly paginator: Paginator;
  /** How responses of jobs are read; absent: guessed. */
  readonly response?: ResponseFormat;
  /** Where requests may go; empty: anywhere. */
  readonly allowedHosts: readonly AllowedHost[];
  /** The `authorization` section of the document; empty if absent. */
  readonly authorization: ExactObject;
  /** `config` without its jobs: the values of `attr`. */
  readonly attr: ExactObject;
  readonly tables: TableSettings;
  /** Absent: responses are not cached. */
  readonly cache?: CacheConfig;
  /** Every request is reported. */
  readonly debug: boolean;
  /** In listed order, with unique names. */
  readonly jobs: readonly JobConfig[];
}

export interface CacheConfig {
  /** How long a response is used again. */
  readonly ttlSeconds: number;
  /** A digest of the sender. */
  readonly senderId: string;
}

/** In ms; absent: the default. */
export interface Timeouts {
  readonly connectTimeout?: number;
  /** Until the headers of a response have arrived. */
  readonly headersTimeout?: number;
  /** Of silence during its body. */
  readonly idleTimeout?: number;
  /** For the complete response. */
  readonly requestTimeout?: number;
}

export interface HttpConfig extends Timeouts {
  /** `api.http.headers`: expressions over `attr`. */
  readonly headers: ExactObject;
  /** Sent as written. docs/12-compatibility.md#headers. */
  readonly defaultOptions: ConfiguredDefaults;
  /** Further origins that may get credentials: `https://host:port`, as the URL class writes them. */
  readonly credentialOrigins: readonly string[];
  /** Statuses whose responses become pages; 0: connection failures too. */
  readonly ignoreErrors: ReadonlySet<number>;
  /** Rates of requests, all of which apply; the same for each iteration. */
  readonly rateLimit: readonly Rate[];
  /** Requests wait if the headers of a response say that none remains. */
  readonly heedsRateLimit: boolean;
  /** Requests ask for compressed responses. */
  readonly acceptsEncodings: boolean;
}

/** Certificates. */
export interface Tls {
  readonly pem: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** The path of the first of them in the document. */
  readonly path: string;
}

export interface ConfiguredDefaults {
  readonly method: Method;
  readonly params: ExactObject;
  readonly headers: ExactObject;
}

/** A job as its keys describe it: `params` are expressions over `attr` and `time`, `headers` are sent as written. */
export interface JobConfig extends PlainJobOptions {
  /** Unique in the configuration: data type or endpoint, with `#2`, `#3` if that is taken. */
  readonly name: string;
  readonly dataField: DataField;
  readonly dataType: string;
  /** Its own or chosen pagination, instead of that of the API. */
  readonly paginator?: Paginator;
  /** Its own, or that of the API. */
  readonly response?: ResponseFormat;
  /** Paths in an item whose values children read as JSON text. */
  readonly responseFilter: ResponseFilter;
  /** Expressions over `attr` and `time`: members added to each item, including those of `config.userData`. */
  readonly userData: ExactObject;
  /** Its own rules on responses, then those of the API; absent: none. */
  readonly responseRules?: readonly ResponseRule[];
  readonly children: readonly ChildConfig[];
  /** It is walked for each value of these, and for each combination; absent: once. */
  readonly each?: readonly EachList[];
  /** Absent: nothing is remembered. */
  readonly incremental?: IncrementalConfig;
  /** Made before the job, whose requests fetch it; absent: the job has none. */
  readonly report?: ReportConfig;
  /** Its response is a file; absent: it has items. */
  readonly download?: DownloadConfig;
  /** Absent: a request that fails ends the run. */
  readonly onError?: ErrorRule;
  /** It is walked for each window of these; absent: once. */
  readonly windows?: WindowSettings;
  /** The path of the job in the document: `config.jobs[0]`. */
  readonly path: string;
}

/** A job that is walked for each item of its parent. */
export interface ChildConfig extends JobConfig {
  /** Its own; those of its parent apply too. */
  readonly placeholders: readonly Placeholder[];
  readonly recursionFilter?: RecursionFilter;
}

/** In listed order, depth first. */
export function withChildren<Job extends { readonly children: readonly Job[] }>(jobs: readonly Job[]): readonly Job[] {
  return jobs.flatMap((job) => [job, ...withChildren(job.children)]);
}

/** The endpoints in the paginations of the API and of all jobs, without repetitions. */
export function pagingEndpoints({ paginator, jobs }: Pick<Config, 'paginator' | 'jobs'>): readonly string[] {
  const paginators = [paginator, ...withChildren<JobConfig>(jobs).map((job) => job.paginator)];
  return [...new Set(paginators.flatMap((each) => each?.endpoints ?? []))];
}

/** Whether one of these paginations ends at a status. */
export function endsByStatus({ paginator, jobs }: Pick<Config, 'paginator' | 'jobs'>): boolean {
  const paginators = [paginator, ...withChildren<JobConfig>(jobs).map((job) => job.paginator)];
  const isEnding = (each: Paginator | undefined): boolean =>
    each !== undefined && (each.endStatuses !== undefined || [...(each.named?.values() ?? [])].some(isEnding));
  return paginators.some(isEnding);
}

/** The response headers that paginations and rules read, in lower case. */
export function pagingHeaders({ paginator, jobs }: Pick<Config, 'paginator' | 'jobs'>): ReadonlySet<string> {
  const all = withChildren<JobConfig>(jobs);
  const paginators = [paginator, ...all.map((job) => job.paginator)];
  const places = all.flatMap(({ responseRules = [] }) => placesOf(responseRules));
  const ruled = places.flatMap((place) => ('header' in place ? [place.header] : []));
  return new Set([...paginators.flatMap((each) => each?.headers ?? []), ...ruled]);
}

/** What a recording has to know of the jobs. */
export const recordedOf = (config: Pick<Config, 'paginator' | 'jobs'>) => ({
  pagingHeaders: pagingHeaders(config),
  hasFormats: withChildren<JobConfig>(config.jobs).some(({ response }) => response !== undefined),
});
