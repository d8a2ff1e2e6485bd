/**
 * The type of configurations, made of the tables that they are read by: `npm run docs`. Each key says what the
 * reference says of it. A type has the plain form of each value; `parseConfiguration` takes every form that the
 * language has.
 */
import type { ExactNumber } from '../core/json/exact.js';

/** The whole of it, in JSON; comments and trailing commas are allowed. */
export type Configuration = (Parameters & Bare & Surroundings) | (Wrapped & Surroundings);

/** `api` and `config` are at the top. */
export interface Bare {
  readonly parameters?: null | undefined;
}

/** `api` and `config` are under `parameters`. */
export interface Wrapped {
  /** May hold `api` and `config` in the place of the document. */
  readonly parameters: Parameters;
  readonly api?: undefined;
  readonly config?: undefined;
}

/** What may stand beside. */
export interface Surroundings {
  /** The JSON Schema that an editor completes by; of no effect. */
  readonly $schema?: unknown;
  /** Credentials for OAuth, below `oauth_api.credentials`. */
  readonly authorization?: {
    readonly oauth_api?: {
      readonly credentials?: OAuthCredentials | undefined;
      readonly [name: string]: unknown;
    } | undefined;
    readonly [name: string]: unknown;
  } | null | undefined;
  /** What whoever runs the configuration sets for it: where requests may go. */
  readonly image_parameters?: ImageParametersSection | null | undefined;
  /** What to do. Default: `"run"`. */
  readonly action?: 'run' | Variable | null | undefined;
  /** Of the platform that runs the configuration; of no effect. */
  readonly storage?: unknown;
  /** Of the platform that runs the configuration; of no effect. */
  readonly processors?: unknown;
  /** Of the platform that runs the configuration; of no effect. */
  readonly runtime?: unknown;
  /** Of the platform that runs the configuration; of no effect. */
  readonly artifacts?: unknown;
  /** Of the platform that runs the configuration; of no effect. */
  readonly shared_code_id?: unknown;
  /** Of the platform that runs the configuration; of no effect. */
  readonly shared_code_row_ids?: unknown;
  /** Of the platform that runs the configuration; of no effect. */
  readonly variables_id?: unknown;
  /** Of the platform that runs the configuration; of no effect. */
  readonly variables_values_id?: unknown;
}

/** What is requested, and how. */
export type Parameters = Once | Iterated;

/** What holds for all jobs. */
export interface Shared {
  /** How to talk to the API. */
  readonly api: ApiSection;
  /** An SSH server that all requests go through. Without it: requests go out directly. */
  readonly sshProxy?: SshProxySection | null | undefined;
  /** Signs every request for AWS, logins too. Without it: requests are not signed. */
  readonly aws?: AwsSection | null | undefined;
  /** Keeps answers in files, and uses them again. Without it: every page is requested. */
  readonly cache?: CacheSection | boolean | Variable | null | undefined;
}

/** The jobs are in `config`. */
export interface Once extends Shared {
  /** What to ask it for. */
  readonly config: ConfigSection;
  /**
   * Runs one after the other, each with `config` overlaid by its members. Without it: one run of `config` as
   * it is.
   */
  readonly iterations?: readonly IterationSection[] | null | undefined;
}

/** Each iteration has its jobs. */
export interface Iterated extends Shared {
  /** What to ask it for. */
  readonly config: IterationSection;
  /**
   * Runs one after the other, each with `config` overlaid by its members. Without it: one run of `config` as
   * it is.
   */
  readonly iterations: readonly ConfigSection[];
}

/** What to ask for, and the values that expressions refer to. */
export interface ConfigSection extends Attributes {
  /** What to request, in this order. */
  readonly jobs: readonly JobSection[];
}

/** What an iteration lays over `config`: the same keys, or none. */
export interface IterationSection extends Attributes {
  /** What to request, in this order. */
  readonly jobs?: readonly JobSection[] | null | undefined;
}

/** The keys of `config` beside its jobs. */
export interface Attributes {
  /** Headers that belong to this configuration of the API. */
  readonly http?: {
    /** As `api.http.headers`; these win. */
    readonly headers?: EvaluatedHeaders<'attr'> | null | undefined;
  } | null | undefined;
  /**
   * Members that are added to each item of the jobs, not of their children; a single value is called
   * `userData`.
   */
  readonly userData?: Expressions<'attr' | 'time'> | boolean | Numeric | string | Variable | null | undefined;
  /** Tells of every request, secrets masked. Default: `false`. */
  readonly debug?: boolean | Variable | null | undefined;
  /**
   * Begins the names of files in a data folder. Without it: `ex-api-NAME-ID` of `api.name` and `id`, where
   * there is an `id`.
   */
  readonly outputBucket?: string | Numeric | Variable | null | undefined;
  /** Makes an `outputBucket` where there is none. */
  readonly id?: string | Numeric | Variable | null | undefined;
  /** Whether rows are added to those of the run before; tables alone have it. */
  readonly incrementalOutput?: boolean | Variable | null | undefined;
  /** Columns of tables, by data type; NDJSON keeps items whole. */
  readonly mappings?: OpenObject | null | undefined;
  /** How tables are laid out. Default: `3`. */
  readonly compatLevel?: 1 | 2 | 3 | '1' | '2' | '3' | Variable | null | undefined;
  /** An attribute, for `{ "attr": KEY }` to refer to. */
  readonly [name: string]: unknown;
}

/** Where the API is, how to log in, how its pages follow one another. */
export interface ApiSection {
  /** Where the API is; endpoints are relative to it. */
  readonly baseUrl: Evaluated<'attr'> | string | Variable;
  /** Headers, and defaults of every job. */
  readonly http?: ApiHttpSection | null | undefined;
  /** How requests are authenticated. Without it: no login. */
  readonly authentication?: Authentication | null | undefined;
  /** How one page leads to the next. Without it: one request a job. */
  readonly pagination?: Pagination | null | undefined;
  /** What is tried again, and how often. */
  readonly retryConfig?: ApiRetryConfigSection | null | undefined;
  /**
   * The authorities whose certificates are accepted, one after the other as PEM, in the place of others.
   * Without it: those that Node trusts.
   */
  readonly caCertificate?: string | Variable | null | undefined;
  /** The certificate to show, as PEM, its private key behind it. Without it: none. */
  readonly '#clientCertificate'?: string | Variable | null | undefined;
  /** A name for people; of no effect. */
  readonly name?: unknown;
  /** The old place of `authentication.query`. */
  readonly query?: Expressions<'attr' | 'query' | 'request'> | null | undefined;
}

/** Headers, defaults of every job, and who may have credentials. */
export interface ApiHttpSection {
  /** Headers of every request, the login request among them. */
  readonly headers?: EvaluatedHeaders<'attr'> | null | undefined;
  /** What lies under every job, not under the login request. */
  readonly defaultOptions?: {
    /** The method of jobs without one. Default: `"GET"`. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** Sent with every request as they stand; a job parameter of the same name wins. */
    readonly params?: OpenObject | null | undefined;
    /** Sent with every request as they stand; a job header of the same name wins. */
    readonly headers?: Headers | null | undefined;
  } | null | undefined;
  /**
   * Origins that may have credentials too, though no request of the configuration leads there. Without it:
   * those of `baseUrl` and of absolute endpoints.
   */
  readonly credentialOrigins?: readonly (string | Variable)[] | null | undefined;
  /** Names of headers that `config.http.headers` must have, each with a value. Without it: none. */
  readonly requiredHeaders?: readonly (string | Variable)[] | null | undefined;
  /** Statuses whose answers are read as pages; 0: failures of the connection too. Without it: none. */
  readonly ignoreErrors?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /** Seconds until a connection is there. Default: `30`. */
  readonly connectTimeout?: Numeric | Digits | Variable | null | undefined;
  /** Seconds until the head of an answer is there. Without it: 300, or `requestTimeout`. */
  readonly headersTimeout?: Numeric | Digits | Variable | null | undefined;
  /** Seconds of silence within the body of an answer. Without it: 300, or `requestTimeout`. */
  readonly idleTimeout?: Numeric | Digits | Variable | null | undefined;
  /** Seconds for a whole answer, its body included. Without it: any time, as long as something comes. */
  readonly requestTimeout?: Numeric | Digits | Variable | null | undefined;
  /**
   * How many requests may go out in a time, or several such rates, each of which holds. Without it: as fast
   * as answers come.
   */
  readonly rateLimit?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** Whether requests wait until its limit is renewed, where the API says that none remains. Default: `true`. */
  readonly rateLimitHeaders?: boolean | null | undefined;
}

/** Which failures are tried again, how often, and where the answer says when. */
export interface ApiRetryConfigSection {
  /**
   * Retries after the first attempt; 0: none. Without it, a server that has not answered once in the run is
   * asked again for 10 seconds at most. Default: `10`.
   */
  readonly maxRetries?: Numeric | Digits | Variable | null | undefined;
  /** The longest wait in seconds; an answer that asks for more is a failure at once. Default: `86400`. */
  readonly maxDelay?: Numeric | Digits | Variable | null | undefined;
  /**
   * "full": any time up to that of the growing waits, by chance, where the answer says nothing. Default:
   * `"none"`.
   */
  readonly jitter?: boolean | 'full' | 'none' | Variable | null | undefined;
  /** Methods of the requests that are tried again; of others only those that were never sent. Without it: all. */
  readonly methods?: readonly (InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable)[] | null | undefined;
  /** Retries because of a response. */
  readonly http?: {
    /** The response header that carries the delay. Default: `"Retry-After"`. */
    readonly retryHeader?: string | Variable | null | undefined;
    /** Statuses that are tried again. Default: `[500,502,503,504,408,420,429]`. */
    readonly codes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  } | null | undefined;
  /** Retries because of a failed connection. */
  readonly curl?: {
    /** Transport failures that are tried again, by the numbers of curl. Default: `[28,6,7,35,52,56,18]`. */
    readonly codes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  } | null | undefined;
  /** Old form of `http.retryHeader`. */
  readonly headerName?: string | Variable | null | undefined;
  /** Old form of `http.codes`. */
  readonly httpCodes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /** Old form of `curl.codes`. */
  readonly curlCodes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
}

/** What is requested: each job is an endpoint that is walked page by page. */
export interface JobSection {
  /** Where the request goes: relative to `api.baseUrl`, or a whole address; empty: `api.baseUrl` itself. */
  readonly endpoint: string | Variable;
  /** The HTTP method, in any case; FORM is a POST of a form. Without it: that of `api.http.defaultOptions`. */
  readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
  /** Request parameters; a list is an object of its indexes. */
  readonly params?: Expressions<'attr' | 'time'> | readonly (Expression<'attr' | 'time'> | readonly unknown[])[] | null | undefined;
  /** Request headers, sent as they stand. */
  readonly headers?: Headers | null | undefined;
  /** Where the items of a response are. Without it: the only list of the response. */
  readonly dataField?: {
    /** Leads to the items. */
    readonly path: string | Numeric | boolean | Variable;
    /** What stands between the segments of the path. Default: `"."`. */
    readonly delimiter?: string | Variable | null | undefined;
  } | string | Numeric | boolean | Variable | null | undefined;
  /** The name of what is extracted. Without it: the endpoint, `/` of an empty one. */
  readonly dataType?: string | Variable | null | undefined;
  /** Which of the methods of `multiple` it is walked with. Without it: the default of `multiple`. */
  readonly scroller?: string | Variable | null | undefined;
  /**
   * Takes the place of `api.pagination`, conditions too; it goes with no `scroller`. Without it: that of the
   * API.
   */
  readonly pagination?: Pagination | null | undefined;
  /** Whether pages with the items of other pages are right, and no loop. Without it: that of the pagination. */
  readonly allowRepeatedItems?: boolean | Variable | null | undefined;
  /** What tells the job apart in its list; no two jobs of a list have the same. */
  readonly id?: string | Numeric | Variable | null | undefined;
  /**
   * Paths in an item whose values are taken as JSON text; `[]` behind a name leads into each element of a
   * list.
   */
  readonly responseFilter?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** What parts the names in `responseFilter`. Default: `"."`. */
  readonly responseFilterDelimiter?: string | Variable | null | undefined;
  /** Members that are added to each item; a single value is called `job_parent_id`. */
  readonly userData?: Expressions<'attr' | 'time'> | boolean | Numeric | string | Variable | null | undefined;
  /** Jobs that are walked for each item of a page, once the page has been taken. */
  readonly children?: readonly JobSection[] | null | undefined;
  /** Of a child: what `{NAME}` in its endpoint stands for, as a path in the item of its parent. */
  readonly placeholders?: { readonly [name: string]: PlaceholderCall & {
    readonly path: string | Numeric | Variable;
    readonly args?: readonly Expression<'placeholder'>[] | null | undefined;
  } | {
    readonly path: string | Numeric | Variable;
    readonly placeholder: 'value' | Variable;
  } | string | Numeric | Variable | undefined } | null | undefined;
  /** Of a child: for which items of its parent it is walked. Without it: every item. */
  readonly recursionFilter?: string | Variable | null | undefined;
}

/** An SSH server that all requests go through, logins included; it connects, and resolves the names. */
export interface SshProxySection {
  /** The SSH server. */
  readonly host: string | Variable;
  /** Its port; 22 as a rule. */
  readonly port: Numeric | Digits | Variable;
  /** Whom to log in as. */
  readonly user: string | Variable;
  /** The private key, its line breaks as `\n`: in the form of ssh-keygen, PEM (RSA, EC) or PuTTY. */
  readonly '#privateKey': string | Variable;
  /** What the private key is protected by. Without it: the key is not protected. */
  readonly '#passphrase'?: string | Variable | null | undefined;
  /**
   * The fingerprint of its host key, `SHA256:...`; a server with another one is refused. Without it: the
   * server is not verified, and a notice reports its fingerprint.
   */
  readonly hostFingerprint?: string | Variable | null | undefined;
}

/** A signature for AWS (Signature Version 4) on every request: logins, retries and redirects too. */
export interface AwsSection {
  /** What is signed by Signature Version 4. */
  readonly signature?: {
    /** Who signs, and for which service. */
    readonly credentials?: {
      /** The name of the key. */
      readonly accessKeyId: string | Variable;
      /** The secret key. */
      readonly '#secretKey': string | Variable;
      /** The service that is asked: `execute-api`, `s3`, `es`. */
      readonly serviceName: string | Variable;
      /** Its region: `eu-central-1`. */
      readonly regionName: string | Variable;
      /** The token that belongs to a key which was lent for a time. Without it: the key is a lasting one. */
      readonly '#sessionToken'?: string | Variable | null | undefined;
    } | null | undefined;
  } | null | undefined;
}

/** Answers that are kept in files and used again, in the place of requests: for working on a configuration. */
export interface CacheSection {
  /** Seconds for which an answer is used again. Default: `604800`. */
  readonly ttl?: Numeric | Digits | Variable | null | undefined;
}

/**
 * What `oauth10`, `oauth20` and `oauth20.login` sign requests with, beside `parameters` (or `api` and
 * `config`).
 */
export interface OAuthCredentials {
  /** The key of the application. */
  readonly appKey?: unknown;
  /** The secret of the application. */
  readonly '#appSecret'?: unknown;
  /** The token: JSON as a text, or the text of the token itself, as the type of authentication says. */
  readonly '#data'?: unknown;
  /** Of no effect. */
  readonly [name: string]: unknown;
}

/** What whoever runs a configuration sets for it. */
export interface ImageParametersSection {
  /** Where requests may go, and nowhere else. Without it: all. */
  readonly allowed_hosts?: readonly ({
    /** The host itself; one below it is another. */
    readonly host: string | Variable;
    /** The scheme. Without it: both. */
    readonly scheme?: 'https' | 'http' | Variable | null | undefined;
    /** The port, which addresses must write then. Without it: any. */
    readonly port?: Numeric | Digits | Variable | null | undefined;
    /** What the path begins with, by whole segments. Without it: any. */
    readonly endpoint?: string | Variable | null | undefined;
  })[] | null | undefined;
  /** Of no effect. */
  readonly [name: string]: unknown;
}

/** Its `method` decides which other keys there are. */
export type Pagination =
  | OffsetPagination
  | PagenumPagination
  | ResponseParamPagination
  | ResponseUrlPagination
  | ZendeskResponseUrlPagination
  | LinkHeaderPagination
  | CursorPagination
  | KeysetPagination
  | MultiplePagination
  | NonePagination;

/** Counts items in a parameter until a page comes short. */
export interface OffsetPagination extends PaginationBase {
  readonly method: 'offset';
  /** The page size. */
  readonly limit: Numeric | Digits | Variable;
  /** The parameter that carries the page size. Default: `"limit"`. */
  readonly limitParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** The parameter that carries the number of items before the page. Default: `"offset"`. */
  readonly offsetParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** False: the first request carries neither offset nor page size. Default: `true`. */
  readonly firstPageParams?: boolean | Variable | null | undefined;
  /** Whether the first offset is the job's own parameter of that name. Default: `false`. */
  readonly offsetFromJob?: boolean | Variable | null | undefined;
}

/** Counts pages in a parameter until a page comes short. */
export interface PagenumPagination extends PaginationBase {
  readonly method: 'pagenum';
  /** The page size; 0 is none. Without it: no limit. */
  readonly limit?: Numeric | Digits | Variable | null | undefined;
  /** The parameter that carries the page size. Default: `"limit"`. */
  readonly limitParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** The parameter that carries the page number. Default: `"page"`. */
  readonly pageParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** False: the first request carries neither page number nor page size. Default: `true`. */
  readonly firstPageParams?: boolean | Variable | null | undefined;
  /** The number of the first page. Default: `1`. */
  readonly firstPage?: Numeric | Digits | Variable | null | undefined;
}

/** Sends a value of each response with the next request until there is none. */
export interface ResponseParamPagination extends PaginationBase {
  readonly method: 'response.param';
  /** Path in the response to that value. */
  readonly responseParam: string | Variable;
  /** The parameter that carries it; wins over all others. */
  readonly queryParam: string | readonly (string | Variable)[] | Variable;
  /** Whether the job's parameters go with every request, not with the first alone. Default: `false`. */
  readonly includeParams?: boolean | Variable | null | undefined;
  /** What following requests are instead of the job; keys left out are those of the job. */
  readonly scrollRequest?: {
    /** Where following requests go. Without it: the job's. */
    readonly endpoint?: string | Variable | null | undefined;
    /** The method of following requests. Without it: the job's. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** Parameters of following requests. */
    readonly params?: OpenObject | null | undefined;
  } | null | undefined;
}

/** Follows a link in each response until there is none. */
export interface ResponseUrlPagination extends PaginationBase {
  readonly method: 'response.url';
  /** Path in the response to the link. Default: `"next_page"`. */
  readonly urlKey?: string | Variable | null | undefined;
  /** Whether the job's parameters go with every request, not with the first alone. Default: `false`. */
  readonly includeParams?: boolean | Variable | null | undefined;
  /**
   * The value is only a query: its parameters win over those of the job, whose endpoint stays. Default:
   * `false`.
   */
  readonly paramIsQuery?: boolean | Variable | null | undefined;
  /** What stands between the segments of `urlKey`. Default: `"."`. */
  readonly delimiter?: string | Variable | null | undefined;
}

/** As `response.url`, but ends at a link to the last six minutes. */
export interface ZendeskResponseUrlPagination extends PaginationBase {
  readonly method: 'zendesk.response.url';
  /** Path in the response to the link. Default: `"next_page"`. */
  readonly urlKey?: string | Variable | null | undefined;
  /** Whether the job's parameters go with every request, not with the first alone. Default: `false`. */
  readonly includeParams?: boolean | Variable | null | undefined;
  /**
   * The value is only a query: its parameters win over those of the job, whose endpoint stays. Default:
   * `false`.
   */
  readonly paramIsQuery?: boolean | Variable | null | undefined;
}

/** Follows the `Link` header of each response until there is none to a next page. */
export interface LinkHeaderPagination extends PaginationBase {
  readonly method: 'link-header';
  /** The relation of the link to follow. Default: `"next"`. */
  readonly rel?: string | Variable | null | undefined;
  /** Whether the job's parameters go with every request, not with the first alone. Default: `false`. */
  readonly includeParams?: boolean | null | undefined;
}

/** Asks for what lies beyond the highest id so far until a page is empty. */
export interface CursorPagination extends PaginationBase {
  readonly method: 'cursor';
  /** Path in each item to its id. */
  readonly idKey: string | Variable;
  /** The parameter that carries the id. */
  readonly param: string | readonly (string | Variable)[] | Variable;
  /** Whether the lowest id counts instead of the highest. Default: `false`. */
  readonly reverse?: boolean | Variable | null | undefined;
  /** Added to the id; may be negative. Default: `0`. */
  readonly increment?: Numeric | Digits | Variable | null | undefined;
}

/** Asks for what follows the last item, by its key, until nothing does. */
export interface KeysetPagination extends PaginationBase {
  readonly method: 'keyset';
  /** Path in each item to its key, a text or a number. */
  readonly field: string | Variable;
  /** The parameter that carries the key of the last item. */
  readonly param: string | readonly (string | Variable)[] | Variable;
  /** The page size; 0 is none. Without it: no limit. */
  readonly limit?: Numeric | Digits | Variable | null | undefined;
  /** The parameter that carries the page size. Default: `"limit"`. */
  readonly limitParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** Path in the response to a flag that says whether more items follow. Without it: only the items tell. */
  readonly moreField?: string | Variable | null | undefined;
  /** Whether the API repeats the item whose key was sent: it is dropped. Default: `false`. */
  readonly inclusive?: boolean | Variable | null | undefined;
  /** `json`: the key is sent as JSON, a text in quotes. Without it: the key as it is. */
  readonly encode?: 'json' | Variable | null | undefined;
}

/** A choice of methods by name: each job takes the one that its `scroller` names. */
export interface MultiplePagination extends PaginationBase {
  readonly method: 'multiple';
  /** What there is to choose from: paginations as of `api.pagination`, each under its name. */
  readonly scrollers: { readonly [name: string]: Pagination | undefined };
  /** The name for jobs without `scroller`. Without it: one request a job. */
  readonly default?: string | Variable | null | undefined;
}

/** One request a job, as without a method: for a job that leaves the pagination of the API. */
export interface NonePagination extends PaginationBase {
  readonly method: 'none';
}

/** Keys beside any `method`. */
export interface PaginationBase {
  /** Ends a job when it has a number of items. */
  readonly limitStop?: {
    /** The number of items. */
    readonly count?: Numeric | Digits | Variable | null | undefined;
    /** Path in each response to that number. */
    readonly field?: string | Variable | null | undefined;
  } | null | undefined;
  /** Ends a job at a number of pages, after a time, or beyond a volume, whichever comes first. */
  readonly forceStop?: {
    /** How many pages are fetched at most. */
    readonly pages?: Numeric | Digits | Variable | null | undefined;
    /** How much time may pass since the first request; the page under way is finished. */
    readonly time?: Numeric | string | Variable | null | undefined;
    /** Bytes of all responses, as compact JSON with `\/` and `\uXXXX`, beyond which no page follows. */
    readonly volume?: Numeric | Digits | Variable | null | undefined;
  } | null | undefined;
  /** Ends a job when a flag of the response says so. */
  readonly nextPageFlag?: {
    /** The name of the flag at the top level of the response; a list of names is a path to it. */
    readonly field: string | readonly (string | Variable)[] | Variable;
    /** What the flag is where the job ends. */
    readonly stopOn: boolean;
    /** What the flag counts as where it is absent or null. Without it: as `stopOn`. */
    readonly ifNotSet?: boolean | null | undefined;
  } | null | undefined;
  /** A whole number; of no effect. */
  readonly pages?: Numeric | Digits | Variable | null | undefined;
  /**
   * Path in each response to the number of items in all. Without it: the usual places, where they leave no
   * doubt.
   */
  readonly totalKey?: string | Variable | null | undefined;
  /** Whether pages with the items of other pages are right, and no loop. Default: `false`. */
  readonly allowRepeatedItems?: boolean | Variable | null | undefined;
}

/** Its `type` decides which other keys there are. */
export type Authentication =
  | BasicAuthentication
  | BearerAuthentication
  | ApiKeyAuthentication
  | QueryAuthentication
  | UrlQueryAuthentication
  | LoginAuthentication
  | Oauth10Authentication
  | Oauth20Authentication
  | Oauth20LoginAuthentication
  | Oauth2Authentication;

/** A user and a password that stand in `config`, as HTTP Basic sends them. */
export interface BasicAuthentication {
  readonly type: 'basic';
}

/** A token that is known beforehand, in the `Authorization` header. */
export interface BearerAuthentication {
  readonly type: 'bearer';
  /** The token. */
  readonly token: Evaluated<'attr'> | string | Numeric | Variable;
  /** The word before the token. Default: `"Bearer"`. */
  readonly scheme?: string | Variable | null | undefined;
}

/** A key in a header or a query parameter of every request. */
export interface ApiKeyAuthentication {
  readonly type: 'api-key';
  /** Where the key goes. Default: `"header"`. */
  readonly in?: 'header' | 'query' | Variable | null | undefined;
  /** The name of that header or parameter. */
  readonly name: string | Variable;
  /** The key. */
  readonly value: Evaluated<'attr'> | string | Numeric | Variable;
}

/** Query parameters with every request, computed for each. */
export interface QueryAuthentication {
  readonly type: 'query';
  /** What is added to the address, whatever the method. */
  readonly query: OpenObject;
}

/**
 * The old name of the type `query`.
 * @deprecated Write `query`.
 */
export interface UrlQueryAuthentication {
  readonly type: 'url.query';
  /** What is added to the address, whatever the method. */
  readonly query: OpenObject;
}

/** A login request first; its reply holds what authenticates all other requests. */
export interface LoginAuthentication {
  readonly type: 'login';
  /** The request that logs in. */
  readonly loginRequest: {
    /** Where the login request goes: relative to `baseUrl`, or a whole address elsewhere. */
    readonly endpoint: string | Variable;
    /** The HTTP method; it decides how the parameters are sent. Default: `"GET"`. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** Parameters of the login request, and no others. */
    readonly params?: Expressions<'attr'> | null | undefined;
    /** Headers of the login request. */
    readonly headers?: EvaluatedHeaders<'attr'> | null | undefined;
  };
  /** What the reply to the login is. Default: `"json"`. */
  readonly format?: 'json' | 'text' | Variable | null | undefined;
  /** What of the reply goes into every later request. */
  readonly apiRequest?: {
    /** Headers of every later request; they replace others of the same name. */
    readonly headers?: EvaluatedHeaders<'attr' | 'response'> | null | undefined;
    /** Query parameters of every later request. */
    readonly query?: Expressions<'attr' | 'response'> | null | undefined;
  } | null | undefined;
  /**
   * When to log in again: after so many seconds (0: before every request), or when the reply says. Without
   * it: one login for the whole run.
   */
  readonly expires?: {
    /** Path in the login reply to the expiry. */
    readonly response: string | Variable;
    /** Whether that value is a number of seconds from now on. Default: `false`. */
    readonly relative?: boolean | Variable | null | undefined;
  } | Numeric | Digits | Variable | null | undefined;
  /** Statuses by which the API refuses a token that has not expired yet; replaces the list. Default: `[401]`. */
  readonly refusedBy?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /**
   * A text in the first 4 KiB of an answer, whatever its status, by which the API refuses a token too.
   * Without it: only statuses tell.
   */
  readonly refusedText?: string | Variable | null | undefined;
  /** Whether iterations whose login requests are identical share one login. Default: `false`. */
  readonly shared?: boolean | Variable | null | undefined;
}

/** Every request is signed by HMAC-SHA1, as OAuth 1.0 has it. */
export interface Oauth10Authentication {
  readonly type: 'oauth10';
}

/** Headers and parameters made of a token of OAuth 2.0 that the document holds. */
export interface Oauth20Authentication {
  readonly type: 'oauth20';
  /** What the token in `#data` is. Default: `"text"`. */
  readonly format?: 'text' | 'json' | Variable | null | undefined;
  /** Headers of every request; they replace others of the same name. */
  readonly headers?: EvaluatedHeaders<'authorization' | 'query' | 'request'> | null | undefined;
  /** Query parameters of every request; they replace others of the same name. */
  readonly query?: Expressions<'authorization' | 'query' | 'request'> | null | undefined;
}

/** A login whose request refers to the application and the token of OAuth 2.0 that the document holds. */
export interface Oauth20LoginAuthentication {
  readonly type: 'oauth20.login';
  /** The request that logs in. */
  readonly loginRequest: {
    /** Where the login request goes: relative to `baseUrl`, or a whole address elsewhere. */
    readonly endpoint: string | Variable;
    /** The HTTP method; it decides how the parameters are sent. Default: `"GET"`. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** Parameters of the login request, and no others. */
    readonly params?: Expressions<'attr' | 'consumer' | 'user'> | null | undefined;
    /** Headers of the login request. */
    readonly headers?: EvaluatedHeaders<'attr' | 'consumer' | 'user'> | null | undefined;
  };
  /** What the reply to the login is. Default: `"json"`. */
  readonly format?: 'json' | 'text' | Variable | null | undefined;
  /** What of the reply goes into every later request. */
  readonly apiRequest?: {
    /** Headers of every later request; they replace others of the same name. */
    readonly headers?: EvaluatedHeaders<'attr' | 'response'> | null | undefined;
    /** Query parameters of every later request. */
    readonly query?: Expressions<'attr' | 'response'> | null | undefined;
  } | null | undefined;
  /**
   * When to log in again: after so many seconds (0: before every request), or when the reply says. Without
   * it: one login for the whole run.
   */
  readonly expires?: {
    /** Path in the login reply to the expiry. */
    readonly response: string | Variable;
    /** Whether that value is a number of seconds from now on. Default: `false`. */
    readonly relative?: boolean | Variable | null | undefined;
  } | Numeric | Digits | Variable | null | undefined;
  /** Statuses by which the API refuses a token that has not expired yet; replaces the list. Default: `[401]`. */
  readonly refusedBy?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /**
   * A text in the first 4 KiB of an answer, whatever its status, by which the API refuses a token too.
   * Without it: only statuses tell.
   */
  readonly refusedText?: string | Variable | null | undefined;
  /** Whether iterations whose login requests are identical share one login. Default: `false`. */
  readonly shared?: boolean | Variable | null | undefined;
}

/** A token of OAuth 2.0 that is asked for with client credentials or a refresh token, and renewed. */
export interface Oauth2Authentication {
  readonly type: 'oauth2';
  /** What the token is given for: the client alone, or a refresh token that somebody agreed to beforehand. */
  readonly grant: 'client_credentials' | 'refresh_token' | Variable;
  /** Where tokens are asked for: relative to `baseUrl`, or a whole address elsewhere. */
  readonly tokenEndpoint: string | Variable;
  /** The name of the client. */
  readonly clientId: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable;
  /** The secret of the client. Without it: a public client, which is for `refresh_token` alone. */
  readonly clientSecret?: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable | null | undefined;
  /**
   * Where the client shows its secret: in a header, as HTTP Basic has it, or among the parameters. Default:
   * `"basic"`.
   */
  readonly clientAuthentication?: 'basic' | 'body' | Variable | null | undefined;
  /** The refresh token to begin with: for `refresh_token`, which needs it. */
  readonly refreshToken?: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable | null | undefined;
  /** What the token shall be good for, words with spaces between them. */
  readonly scope?: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable | null | undefined;
  /** Further parameters of the token request, such as `audience` or `resource`. */
  readonly params?: Expressions<'attr' | 'consumer' | 'user'> | null | undefined;
  /** Statuses by which the API refuses a token that has not expired yet; replaces the list. Default: `[401]`. */
  readonly refusedBy?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /**
   * A text in the first 4 KiB of an answer, whatever its status, by which the API refuses a token too.
   * Without it: only statuses tell.
   */
  readonly refusedText?: string | Variable | null | undefined;
  /** Whether iterations whose login requests are identical share one login. Default: `false`. */
  readonly shared?: boolean | Variable | null | undefined;
}

/** What an expression may refer to. */
export interface References {
  /** A value of the `config` section. */
  readonly attr: Path;
  /** When this run began and when the last successful one did, in Unix seconds. */
  readonly time: Path;
  /** A value of the reply to the login request. */
  readonly response: Path;
  /** A query parameter of the request, decoded, as it is before its authentication. */
  readonly query: Path;
  /** A part of the request, as it is before its authentication. */
  readonly request: Path;
  /** A value of the OAuth credentials, or one made for this request. */
  readonly authorization: Path;
  /** The application that asks: `client_id` and `client_secret`. */
  readonly consumer: Path;
  /** A value of the OAuth token, which is JSON. */
  readonly user: Path;
  /** The value of the placeholder itself. */
  readonly placeholder: Path;
}

/** A function of the language, and its arguments. */
export type Call<Name extends keyof References> =
  | {
      /** The base64 of a text, with padding. */
      readonly function: 'base64_encode';
      /** Text: what is encoded, as UTF-8. */
      readonly args: readonly [text: Expression<Name>];
    }
  | {
      /** Its arguments, one behind the other. */
      readonly function: 'concat';
      /** Values: texts; true counts as "1", false and null as empty. */
      readonly args?: readonly [...values: readonly Expression<Name>[]] | undefined;
    }
  | {
      /** A moment as a text in the form you give, in UTC. */
      readonly function: 'date';
      /**
       * Format: letters for the fields of a date, and what else shall stand between them; timestamp: the moment
       * in Unix seconds; without it, now.
       */
      readonly args: readonly [format: Expression<Name>, timestamp?: Expression<Name>];
    }
  | {
      /** The digest of a text by the algorithm of your choice, in hexadecimal digits. */
      readonly function: 'hash';
      /**
       * Algorithm: md4, md5, sha1, sha224, sha256, sha384, sha512/224, sha512/256, sha512, sha3-224, sha3-256,
       * sha3-384, sha3-512, ripemd160, whirlpool, adler32, crc32, crc32b, crc32c, fnv132, fnv1a32, fnv164,
       * fnv1a64, joaat; md4 and whirlpool where OpenSSL still has them; text: what is digested, as UTF-8.
       */
      readonly args: readonly [algorithm: Expression<Name>, text: Expression<Name>];
    }
  | {
      /** The HMAC of a text under a key, in hexadecimal digits. */
      readonly function: 'hash_hmac';
      /**
       * Algorithm: md4, md5, sha1, sha224, sha256, sha384, sha512/224, sha512/256, sha512, sha3-224, sha3-256,
       * sha3-384, sha3-512, ripemd160, whirlpool; md4 and whirlpool where OpenSSL still has them; text: what is
       * signed, as UTF-8; key: the secret, as UTF-8.
       */
      readonly args: readonly [algorithm: Expression<Name>, text: Expression<Name>, key: Expression<Name>];
    }
  | {
      /** A value, or another one where it is empty. */
      readonly function: 'ifempty';
      /**
       * Value: what is taken unless it is `""`, `"0"`, 0, false, null, or an empty list or object; otherwise:
       * what is taken then.
       */
      readonly args: readonly [value: Expression<Name>, otherwise: Expression<Name>];
    }
  | {
      /** The elements of a list as one text, with another between them. */
      readonly function: 'implode';
      /**
       * Glue: the text between two elements; list: texts; they may be expressions. An object counts as the list
       * of its values.
       */
      readonly args: readonly [glue: Expression<Name>, list: Expression<Name>];
    }
  | {
      /** The MD5 digest of a text, in hexadecimal digits. */
      readonly function: 'md5';
      /** Text: what is digested, as UTF-8. */
      readonly args: readonly [text: Expression<Name>];
    }
  | {
      /** The SHA-1 digest of a text, in hexadecimal digits. */
      readonly function: 'sha1';
      /** Text: what is digested, as UTF-8. */
      readonly args: readonly [text: Expression<Name>];
    }
  | {
      /** A text with values put in where it has directives, such as `%05d`. */
      readonly function: 'sprintf';
      /**
       * Format: text and directives: `%`, `1$` for the first value, flags, width, `.precision`, a letter; values:
       * one for each directive; more than that are not used.
       */
      readonly args: readonly [format: Expression<Name>, ...values: readonly Expression<Name>[]];
    }
  | {
      /** A moment in words as Unix seconds, or false for a text that is not understood. */
      readonly function: 'strtotime';
      /**
       * Text: a date, a time, what is added to them, or several of these; base: the moment from which relative
       * words count, in Unix seconds; without it, now.
       */
      readonly args: readonly [text: Expression<Name>, base?: Expression<Name>];
    }
  | {
      /** Now, in Unix seconds. */
      readonly function: 'time';
      readonly args?: readonly [] | undefined;
    };

/** What can be called in placeholders besides. */
export type PlaceholderCall<Name extends keyof References = 'placeholder'> =
  | Call<Name>
  | {
      /** A text with all that has a meaning in an address as `%XX`, and `+` for a space. */
      readonly function: 'urlencode';
      /** Text: what is encoded, as UTF-8. */
      readonly args: readonly [text: Expression<Name>];
    };

/** The value of an environment variable, a text: `env` of the options says which there are. */
export interface Variable {
  /** The name of the variable. */
  readonly env: string;
}

/** A number with every digit that it has. */
export type Numeric = number | bigint | ExactNumber;

/** Digits, as a text. */
export type Digits = `${number}`;

/** A name in capitals or in small letters. */
export type InAnyCase<Name extends string> = Name | Lowercase<Name>;

/** Where a reference leads: names parted by dots. */
export type Path = string | number | Variable;

/** An object whose members are yours; a `Map` keeps their order. */
export type OpenObject = { readonly [name: string]: unknown } | ReadonlyMap<string, unknown>;

/** What `JSON.stringify` writes by a method of its own, as a date. */
export interface Jsonable {
  toJSON(): unknown;
}

/** A reference, alone in its object. */
export type Reference<Name extends keyof References> = { [Each in Name]: Pick<References, Each> }[Name];

/** An object that becomes one value. */
export type Evaluated<Name extends keyof References> =
  | Reference<Name>
  | Call<Name>
  | ('placeholder' extends Name ? PlaceholderCall<Name> : never);

/** Any value; references and calls in it are evaluated. */
export type Expression<Name extends keyof References> =
  | null
  | undefined
  | boolean
  | string
  | Numeric
  | Jsonable
  | Evaluated<Name>
  | readonly Expression<Name>[]
  | ExpressionMembers<Name>
  | ReadonlyMap<string, unknown>;

/** An object with members of any names. */
export interface ExpressionMembers<Name extends keyof References> {
  readonly function?: undefined;
  readonly [name: string]: Expression<Name>;
}

/** An object whose members are expressions; a list that is a member itself is sent unchanged. */
export type Expressions<Name extends keyof References> = ExpressionMembers<Name> | ReadonlyMap<string, unknown>;

/** The value of a header. */
export type HeaderValue = string | Numeric | boolean | null | undefined | Variable | readonly (string | Numeric | boolean | null | Variable)[];

/** Headers, sent as they stand. */
export type Headers = { readonly [name: string]: HeaderValue } | ReadonlyMap<string, unknown>;

/** Headers whose values may be expressions. */
export type EvaluatedHeaders<Name extends keyof References> =
  | { readonly [name: string]: HeaderValue | Evaluated<Name> }
  | ReadonlyMap<string, unknown>;
