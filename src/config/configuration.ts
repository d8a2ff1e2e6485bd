/**
 * The type of configurations, made of the tables that they are read by: `npm run docs`. Each key says what the
 * reference says of it. A type has the plain form of each value; `parseConfiguration` takes every form that the
 * language has.
 */
import type { ExactNumber } from '../core/json/exact.js';

/** The whole document, in JSON; comments and trailing commas are allowed. */
export type Configuration = ConfigurationInParameters | ConfigurationOfIterations | ConfigurationOfJobs;

/** `api` and `config` are under `parameters`. */
export interface ConfigurationInParameters extends Surroundings {
  /** May contain `api` and `config` instead of the document. */
  readonly parameters: Parameters;
  readonly api?: undefined;
}

/** `api` and `config` are at the top, and each iteration has its jobs. */
export interface ConfigurationOfIterations extends Iterated, Surroundings {
  readonly parameters?: null | undefined;
}

/** `api` and `config` are at the top, and the jobs are in `config`. */
export interface ConfigurationOfJobs extends Once, Surroundings {
  readonly parameters?: null | undefined;
}

/** What may stand beside. */
export interface Surroundings {
  /** The JSON Schema for editors; has no effect. */
  readonly $schema?: unknown;
  /** Credentials for OAuth, in `oauth_api.credentials`. */
  readonly authorization?: {
    readonly oauth_api?: {
      readonly credentials?: OAuthCredentials | undefined;
      readonly [name: string]: unknown;
    } | undefined;
    readonly [name: string]: unknown;
  } | null | undefined;
  /** Settings of the operator: the URLs that requests may go to. */
  readonly image_parameters?: ImageParametersSection | null | undefined;
  /** The action. Default: `"run"`. */
  readonly action?: 'run' | Variable | null | undefined;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly storage?: unknown;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly processors?: unknown;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly runtime?: unknown;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly artifacts?: unknown;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly shared_code_id?: unknown;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly shared_code_row_ids?: unknown;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly variables_id?: unknown;
  /** Belongs to the platform that runs the configuration; has no effect. */
  readonly variables_values_id?: unknown;
}

/** What is requested, and how. */
export type Parameters = Iterated | Once;

/** What holds for all jobs. */
export interface Shared {
  /** The API: its URL, login, pagination and retries. */
  readonly api: ApiSection;
  /** An SSH server that forwards all requests. Without it: requests are sent directly. */
  readonly sshProxy?: SshProxySection | null | undefined;
  /** Signs every request for AWS, including logins. Without it: requests are not signed. */
  readonly aws?: AwsSection | null | undefined;
  /** Stores responses in files, and uses them again. Without it: every page is requested. */
  readonly cache?: CacheSection | boolean | Variable | null | undefined;
}

/** The jobs are in `config`. */
export interface Once extends Shared {
  /** The jobs, and values for expressions. */
  readonly config: ConfigSection;
  /** Runs one after the other; the members of each replace those of `config`. Without it: one run of `config`. */
  readonly iterations?: readonly IterationSection[] | null | undefined;
}

/** Each iteration has its jobs. */
export interface Iterated extends Shared {
  /** The jobs, and values for expressions. */
  readonly config: IterationSection;
  /** Runs one after the other; the members of each replace those of `config`. Without it: one run of `config`. */
  readonly iterations: readonly ConfigSection[];
}

/** The jobs, and the values that expressions refer to. */
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
  /** Headers of this configuration. */
  readonly http?: {
    /** Like `api.http.headers`; these take precedence. */
    readonly headers?: EvaluatedHeaders<'attr'> | null | undefined;
  } | null | undefined;
  /** Members to add to each item of the jobs, but not of child jobs; a single value gets the name `userData`. */
  readonly userData?: Expressions<'attr' | 'time'> | boolean | Numeric | string | Variable | null | undefined;
  /** Logs every request, with secrets masked. Default: `false`. */
  readonly debug?: boolean | Variable | null | undefined;
  /**
   * The prefix of file names in a data folder. Without it: `ex-api-NAME-ID` from `api.name` and `id`, if
   * there is an `id`.
   */
  readonly outputBucket?: string | Numeric | Variable | null | undefined;
  /** Part of the default `outputBucket`. */
  readonly id?: string | Numeric | Variable | null | undefined;
  /** Whether rows are added to those of the last run; only for tables. */
  readonly incrementalOutput?: boolean | Variable | null | undefined;
  /** The columns of tables, by data type. */
  readonly mappings?: { readonly [name: string]: { readonly [name: string]: string | {
    /**
     * A column of a value, of a value that the job adds (`userData`, `parent_*`), or a table of a list.
     * Default: `"column"`.
     */
    readonly type?: 'column' | 'user' | 'table' | Variable | null | undefined;
    /** The column; for `column` and `user`. */
    readonly mapping?: {
      /** The name of the column. */
      readonly destination: string | Variable;
      /** Whether it is part of the primary key. Default: `false`. */
      readonly primaryKey?: boolean | Variable | null | undefined;
    } | null | undefined;
    /** Whether objects and lists are written as JSON text. Default: `false`. */
    readonly forceType?: boolean | Variable | null | undefined;
    /** Separates the names of the path. Default: `"."`. */
    readonly delimiter?: string | Variable | null | undefined;
    /** The name of the table; for `table`. */
    readonly destination?: string | Variable | null | undefined;
    /** The columns of the table; for `table`. */
    readonly tableMapping?: OpenObject | null | undefined;
    /** The reference to the enclosing row. */
    readonly parentKey?: {
      /** The column that refers to the enclosing row. Without it: the name of the enclosing table with `_pk`. */
      readonly destination?: string | Variable | null | undefined;
      /** Whether it is part of the primary key. Default: `false`. */
      readonly primaryKey?: boolean | Variable | null | undefined;
      /** Whether there is no such column. Default: `false`. */
      readonly disable?: boolean | Variable | null | undefined;
    } | null | undefined;
  } | Variable | undefined } | undefined } | null | undefined;
  /** The layout of tables. Default: `3`. */
  readonly compatLevel?: 1 | 2 | 3 | '1' | '2' | '3' | Variable | null | undefined;
  /** An attribute, for `{ "attr": KEY }` to refer to. */
  readonly [name: string]: unknown;
}

/** What to request: each job requests one endpoint, page by page. */
export type JobSection = EndpointJob | ReportJob | DownloadJob;

/** A job with an endpoint. */
export interface EndpointJob extends JobBase {
  /** The URL to request, absolute or relative to `api.baseUrl`; empty: `api.baseUrl` itself. */
  readonly endpoint: string | Variable;
  readonly await?: null | undefined;
  readonly download?: null | undefined;
}

/** A job with a report. */
export interface ReportJob extends JobBase {
  /** In place of `endpoint`: a report that is created, polled until it is done, fetched and deleted. */
  readonly await: {
    /** The request that creates the report. */
    readonly create: {
      /** The HTTP method. Default: `"POST"`. */
      readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
      /** The URL; `{NAME}` is the value at that path in the response of `create`. */
      readonly endpoint: string | Variable;
      /** Request parameters. */
      readonly params?: Expressions<'attr' | 'incremental' | 'time'> | readonly (Expression<'attr' | 'incremental' | 'time'> | readonly unknown[])[] | null | undefined;
      /** Request headers, sent unchanged. */
      readonly headers?: Headers | null | undefined;
      /** The header for a key that is the same however often the run sends the request. */
      readonly idempotencyKey?: string | Variable | null | undefined;
    };
    /** The request that says whether it is done. */
    readonly poll: {
      /** The HTTP method. Default: `"GET"`. */
      readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
      /** The URL; `{NAME}` is the value at that path in the response of `create`. */
      readonly endpoint: string | Variable;
      /** Request parameters. */
      readonly params?: Expressions<'attr' | 'incremental' | 'time'> | readonly (Expression<'attr' | 'incremental' | 'time'> | readonly unknown[])[] | null | undefined;
      /** Request headers, sent unchanged. */
      readonly headers?: Headers | null | undefined;
      /** The wait between two polls. Without it: `5s`. */
      readonly every?: string | Numeric | Variable | null | undefined;
      /** Each wait is so many times the one before it, up to 5 minutes. Without it: 1. */
      readonly backoff?: Numeric | null | undefined;
      /** How long to poll. Without it: `1h`. */
      readonly timeout?: string | Numeric | Variable | null | undefined;
    };
    /** The condition on a poll: the report is done. */
    readonly done: {
      /**
       * The status of the response: a number, a range such as `"200-299"`, or a list of these. Without it: any
       * status.
       */
      readonly status?: readonly (Numeric | string | Variable)[] | Numeric | string | Variable | null | undefined;
      /** The path of a value outside the items, such as `error.code`, or a list of names. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The name of a header of the response, instead of a path. */
      readonly header?: string | Variable | null | undefined;
      /** The value; 0 equals "0", and true equals "true". */
      readonly equals?: string | Numeric | boolean | Variable | null | undefined;
      /** One of these values. */
      readonly in?: readonly (string | Numeric | boolean | Variable)[] | null | undefined;
      /** A regular expression that the value matches; `"/^fail/i"` ignores case. */
      readonly matches?: string | Variable | null | undefined;
      /** Whether there is a value other than null. */
      readonly exists?: boolean | Variable | null | undefined;
    };
    /** The condition on a poll: there will be no report. */
    readonly failed?: {
      /**
       * The status of the response: a number, a range such as `"200-299"`, or a list of these. Without it: any
       * status.
       */
      readonly status?: readonly (Numeric | string | Variable)[] | Numeric | string | Variable | null | undefined;
      /** The path of a value outside the items, such as `error.code`, or a list of names. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The name of a header of the response, instead of a path. */
      readonly header?: string | Variable | null | undefined;
      /** The value; 0 equals "0", and true equals "true". */
      readonly equals?: string | Numeric | boolean | Variable | null | undefined;
      /** One of these values. */
      readonly in?: readonly (string | Numeric | boolean | Variable)[] | null | undefined;
      /** A regular expression that the value matches; `"/^fail/i"` ignores case. */
      readonly matches?: string | Variable | null | undefined;
      /** Whether there is a value other than null. */
      readonly exists?: boolean | Variable | null | undefined;
    } | null | undefined;
    /** Where the items are: a request, or links. */
    readonly fetch: {
      /** The HTTP method. Default: `"GET"`. */
      readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
      /**
       * The URL; `{NAME}` is the value at that path in the response of `create` or of the last poll. Without it:
       * no request: `path` is in the last poll.
       */
      readonly endpoint?: string | Variable | null | undefined;
      /** Request parameters. */
      readonly params?: Expressions<'attr' | 'incremental' | 'time'> | readonly (Expression<'attr' | 'incremental' | 'time'> | readonly unknown[])[] | null | undefined;
      /** Request headers, sent unchanged. */
      readonly headers?: Headers | null | undefined;
      /** The path of the link to the items, or of a list of links. Without it: the response has the items. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
    };
    /** The request that removes the report after its items are written. */
    readonly delete?: {
      /** The HTTP method. Default: `"DELETE"`. */
      readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
      /** The URL; `{NAME}` is the value at that path in the response of `create`. */
      readonly endpoint: string | Variable;
      /** Request parameters. */
      readonly params?: Expressions<'attr' | 'incremental' | 'time'> | readonly (Expression<'attr' | 'incremental' | 'time'> | readonly unknown[])[] | null | undefined;
      /** Request headers, sent unchanged. */
      readonly headers?: Headers | null | undefined;
    } | null | undefined;
  } | null;
  readonly endpoint?: null | undefined;
  readonly download?: null | undefined;
}

/** A job with a file for each item of its parent. */
export interface DownloadJob extends JobBase {
  /** For a child, in place of `endpoint`: a file for each item of the parent, and an item that describes it. */
  readonly download: {
    /** The URL; `{NAME}` is a placeholder of the job, or the value at that path in the item of the parent. */
    readonly url: string | Variable;
    /** The name of the file, with `{NAME}` too. Without it: the last part of the URL. */
    readonly to?: string | Variable | null | undefined;
  } | null;
  readonly endpoint?: null | undefined;
  readonly await?: null | undefined;
}

/** The keys of any job. */
export interface JobBase {
  /**
   * The HTTP method, upper or lower case; FORM is a POST with a form body. Without it: the method in
   * `api.http.defaultOptions`.
   */
  readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
  /** Request parameters; a list counts as an object whose keys are indexes. */
  readonly params?: Expressions<'attr' | 'incremental' | 'time'> | readonly (Expression<'attr' | 'incremental' | 'time'> | readonly unknown[])[] | null | undefined;
  /** Request headers, sent unchanged; with `incremental` a value may be an expression with its value. */
  readonly headers?: EvaluatedHeaders<'incremental'> | null | undefined;
  /** The path to the items of a response. Without it: the only list of the response. */
  readonly dataField?: {
    /** The path to the items. */
    readonly path: string | Numeric | boolean | Variable;
    /** The separator between the segments of the path. Default: `"."`. */
    readonly delimiter?: string | Variable | null | undefined;
  } | string | Numeric | boolean | Variable | null | undefined;
  /** How a response is read; replaces `api.response` as a whole. Without it: `api.response`. */
  readonly response?: ApiResponseSection | null | undefined;
  /** The name of the extracted data. Without it: the endpoint, or `/` if it is empty. */
  readonly dataType?: string | Variable | null | undefined;
  /** Which method of `multiple` to use. Without it: the default of `multiple`. */
  readonly scroller?: string | Variable | null | undefined;
  /**
   * Replaces `api.pagination`, including its conditions; cannot be used with `scroller`. Without it:
   * `api.pagination`.
   */
  readonly pagination?: Pagination | null | undefined;
  /** Whether pages with the items of earlier pages are correct. Without it: the value in the pagination. */
  readonly allowRepeatedItems?: boolean | Variable | null | undefined;
  /** Identifies the job; unique within its list. */
  readonly id?: string | Numeric | Variable | null | undefined;
  /**
   * Runs the job for each value, and with several keys for each combination; a key is a placeholder if the
   * endpoint has it, else a parameter.
   */
  readonly each?: { readonly [name: string]: {
    /** A CSV file with a header, or, without `column`, a file with a value in each line. */
    readonly file: string | Variable;
    /** The column of the CSV file. */
    readonly column?: string | Variable | null | undefined;
  } | {
    /** The `id` or the data type of another job. */
    readonly job: string | Variable;
    /** The path of the value in its items. */
    readonly path: string | Numeric | Variable;
  } | readonly (boolean | Numeric | string | Variable | null)[] | undefined } | null | undefined;
  /** Rules on responses, before those of `api.responseRules`: what becomes of a page. */
  readonly responseRules?: readonly ({
    /** The condition: all of its keys must apply. */
    readonly when: {
      /**
       * The status of the response: a number, a range such as `"200-299"`, or a list of these. Without it: any
       * status.
       */
      readonly status?: readonly (Numeric | string | Variable)[] | Numeric | string | Variable | null | undefined;
      /** The path of a value outside the items, such as `error.code`, or a list of names. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The name of a header of the response, instead of a path. */
      readonly header?: string | Variable | null | undefined;
      /** The value; 0 equals "0", and true equals "true". */
      readonly equals?: string | Numeric | boolean | Variable | null | undefined;
      /** One of these values. */
      readonly in?: readonly (string | Numeric | boolean | Variable)[] | null | undefined;
      /** A regular expression that the value matches; `"/^fail/i"` ignores case. */
      readonly matches?: string | Variable | null | undefined;
      /** Whether there is a value other than null. */
      readonly exists?: boolean | Variable | null | undefined;
    };
    /** What becomes of the page. */
    readonly then: 'fail' | 'retry' | 'end' | 'skip' | 'wait' | 'login' | Variable;
    /**
     * With `wait` and `retry`: how long to wait before the request is sent again. Without it: as `retryConfig`
     * says.
     */
    readonly wait?: {
      /** The path of the time: seconds, a Unix timestamp, or an HTTP date. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The header that has the time. */
      readonly header?: string | Variable | null | undefined;
      /** A number of seconds. */
      readonly seconds?: Numeric | Digits | Variable | null | undefined;
    } | null | undefined;
    /** Where the response has a text for the message. */
    readonly message?: {
      /** The path of the value, or a list of names. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The name of a header. */
      readonly header?: string | Variable | null | undefined;
    } | null | undefined;
  })[] | null | undefined;
  /**
   * What becomes of a request that fails: `skip`, `dead-letter`, or an object of statuses. Without it:
   * `fail`.
   */
  readonly onError?: { readonly [name: string]: 'skip' | 'dead-letter' | 'fail' | Numeric | Digits | Variable | undefined } | 'skip' | 'dead-letter' | 'fail' | Variable | null | undefined;
  /**
   * Remembers a value from run to run, so that the next run asks only for what is new. Without it: each run
   * asks for everything.
   */
  readonly incremental?: {
    /** Path in each item to its value: the highest one is remembered. */
    readonly path?: string | Variable | null | undefined;
    /** Path in each response to a value, such as a token: the last one is remembered. */
    readonly response?: string | Variable | null | undefined;
    /** Response header with the value: the last one is remembered. */
    readonly header?: string | Variable | null | undefined;
    /**
     * The parameter that carries the value. Without it: `{ "incremental": "value" }`, or `{incremental}` in the
     * endpoint, carries it.
     */
    readonly param?: string | Variable | null | undefined;
    /** The parameter that carries the end of a backfill (`--until`). */
    readonly until?: string | Variable | null | undefined;
    /** The value of the first run. Without it: the first run sends no `param`. */
    readonly initial?: string | Numeric | Variable | null | undefined;
    /** How far before the value the next run begins: a time such as "15m", or a number. Without it: none. */
    readonly lookback?: Numeric | string | Variable | null | undefined;
    /** How old items must be: newer ones are left to the next run. Without it: none. */
    readonly lag?: Numeric | string | Variable | null | undefined;
    /**
     * `asc`: items come in ascending order, so that a run that a limit ends still advances. Without it: any
     * order.
     */
    readonly order?: 'asc' | Variable | null | undefined;
    /** How values are compared. Without it: as the first value looks. */
    readonly compare?: 'number' | 'date' | 'text' | Variable | null | undefined;
    /**
     * For a child: the placeholders that name its parent, for which a value of its own is remembered. Without
     * it: all placeholders of the child job.
     */
    readonly by?: readonly (string | Variable)[] | null | undefined;
    /** For a child: how long the value of a parent that is gone is remembered. Without it: 90d. */
    readonly forgetAfter?: string | Variable | null | undefined;
  } | null | undefined;
  /**
   * With a state: a page that the API says has not changed since an earlier run has no items. Without it:
   * each page is requested whole.
   */
  readonly revalidate?: boolean | Variable | null | undefined;
  /** Runs the job for each window of a range of dates or numbers. */
  readonly windows?: {
    /** Where the first window begins: a date, Unix seconds or ms, or a number. */
    readonly from: Evaluated<'attr' | 'time'> | string | Numeric | Variable;
    /** Where the last window ends; `now` is the start of the run. Default: `"now"`. */
    readonly to?: Evaluated<'attr' | 'time'> | string | Numeric | Variable | null | undefined;
    /** The size of a window: `7d`, `12h`, `1mo` (a calendar month), or a number. */
    readonly step: string | Numeric | Variable;
    /** The names of the parameters. */
    readonly params: {
      /** The parameter, or the placeholder, for the start of a window. */
      readonly from?: string | Variable | null | undefined;
      /** The parameter, or the placeholder, for its end. */
      readonly to?: string | Variable | null | undefined;
    };
    /**
     * The form of the values: `seconds`, `milliseconds`, or letters of the function `date`. Without it: the
     * form of `from`.
     */
    readonly format?: string | Variable | null | undefined;
    /**
     * How much of the window before a window contains again; negative: how much earlier a window ends, for an
     * API that includes the end. Without it: none.
     */
    readonly overlap?: string | Numeric | Variable | null | undefined;
    /** `desc`: the last window first. Default: `"asc"`. */
    readonly order?: 'asc' | 'desc' | Variable | null | undefined;
    /**
     * A window with more items than the API gives splits in halves; a number: the most items that the API gives
     * for one. Default: `false`.
     */
    readonly split?: boolean | Numeric | Digits | Variable | null | undefined;
  } | null | undefined;
  /** Paths in an item whose values become JSON text; `[]` after a name selects every element of a list. */
  readonly responseFilter?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /**
   * By path, what becomes of lists inside items in sinks of tables: `table` or `json`. Without it: what
   * `lists` of the sink says.
   */
  readonly lists?: { readonly [name: string]: 'table' | 'json' | Variable | undefined } | null | undefined;
  /** The separator between the names in `responseFilter`. Default: `"."`. */
  readonly responseFilterDelimiter?: string | Variable | null | undefined;
  /** Members to add to each item; a single value gets the name `job_parent_id`. */
  readonly userData?: Expressions<'attr' | 'time'> | boolean | Numeric | string | Variable | null | undefined;
  /** Child jobs, which run for each item of a page after the page has been written. */
  readonly children?: readonly JobSection[] | null | undefined;
  /** For a child: the value of `{NAME}` in its endpoint, as a path in the item of the parent. */
  readonly placeholders?: { readonly [name: string]: PlaceholderCall & {
    readonly path: string | Numeric | Variable;
    readonly args?: readonly Expression<'placeholder'>[] | null | undefined;
  } | {
    readonly path: string | Numeric | Variable;
    readonly placeholder: 'value' | Variable;
  } | string | Numeric | Variable | undefined } | null | undefined;
  /** For a child: a condition on the items of the parent. Without it: every item. */
  readonly recursionFilter?: string | Variable | null | undefined;
}

/** The API: its URL, login, pagination and retries. */
export interface ApiSection {
  /** The URL of the API; endpoints are relative to it. */
  readonly baseUrl: Evaluated<'attr'> | string | Variable;
  /** Headers, and defaults for all jobs. */
  readonly http?: ApiHttpSection | null | undefined;
  /** How requests are authenticated. Without it: no login. */
  readonly authentication?: Authentication | null | undefined;
  /** How to request the next page. Without it: one request for each job. */
  readonly pagination?: Pagination | null | undefined;
  /** How the responses of jobs are read: their format, such as CSV. Without it: guessed from each response. */
  readonly response?: ApiResponseSection | null | undefined;
  /** Rules on responses: which are errors, and what becomes of their pages. */
  readonly responseRules?: readonly ({
    /** The condition: all of its keys must apply. */
    readonly when: {
      /**
       * The status of the response: a number, a range such as `"200-299"`, or a list of these. Without it: any
       * status.
       */
      readonly status?: readonly (Numeric | string | Variable)[] | Numeric | string | Variable | null | undefined;
      /** The path of a value outside the items, such as `error.code`, or a list of names. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The name of a header of the response, instead of a path. */
      readonly header?: string | Variable | null | undefined;
      /** The value; 0 equals "0", and true equals "true". */
      readonly equals?: string | Numeric | boolean | Variable | null | undefined;
      /** One of these values. */
      readonly in?: readonly (string | Numeric | boolean | Variable)[] | null | undefined;
      /** A regular expression that the value matches; `"/^fail/i"` ignores case. */
      readonly matches?: string | Variable | null | undefined;
      /** Whether there is a value other than null. */
      readonly exists?: boolean | Variable | null | undefined;
    };
    /** What becomes of the page. */
    readonly then: 'fail' | 'retry' | 'end' | 'skip' | 'wait' | 'login' | Variable;
    /**
     * With `wait` and `retry`: how long to wait before the request is sent again. Without it: as `retryConfig`
     * says.
     */
    readonly wait?: {
      /** The path of the time: seconds, a Unix timestamp, or an HTTP date. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The header that has the time. */
      readonly header?: string | Variable | null | undefined;
      /** A number of seconds. */
      readonly seconds?: Numeric | Digits | Variable | null | undefined;
    } | null | undefined;
    /** Where the response has a text for the message. */
    readonly message?: {
      /** The path of the value, or a list of names. */
      readonly path?: string | readonly (string | Variable)[] | Variable | null | undefined;
      /** The name of a header. */
      readonly header?: string | Variable | null | undefined;
    } | null | undefined;
  })[] | null | undefined;
  /** Which failures are retried, and how often. */
  readonly retryConfig?: ApiRetryConfigSection | null | undefined;
  /**
   * The certificate authorities to trust (PEM, one after the other); replaces the default list. Without it:
   * the authorities that Node trusts.
   */
  readonly caCertificate?: string | Variable | null | undefined;
  /** The client certificate (PEM), followed by its private key. Without it: none. */
  readonly '#clientCertificate'?: string | Variable | null | undefined;
  /** A name for people; has no effect. */
  readonly name?: unknown;
  /** The old place of `authentication.query`. */
  readonly query?: Expressions<'attr' | 'query' | 'request'> | null | undefined;
}

/** Headers, defaults for all jobs, time-outs and rates. */
export interface ApiHttpSection {
  /** Headers of every request, including the login request. */
  readonly headers?: EvaluatedHeaders<'attr'> | null | undefined;
  /** Defaults for every job, but not for the login request. */
  readonly defaultOptions?: {
    /** The HTTP method of jobs that do not set one. Default: `"GET"`. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** Sent unchanged with every request; a job parameter of the same name takes precedence. */
    readonly params?: OpenObject | null | undefined;
    /** Sent unchanged with every request; a job header of the same name takes precedence. */
    readonly headers?: Headers | null | undefined;
  } | null | undefined;
  /**
   * More origins that may receive credentials. Without it: the origins of `baseUrl` and of absolute
   * endpoints.
   */
  readonly credentialOrigins?: readonly (string | Variable)[] | null | undefined;
  /** Names of headers that `config.http.headers` must contain, each with a value. Without it: none. */
  readonly requiredHeaders?: readonly (string | Variable)[] | null | undefined;
  /** Statuses whose responses are read as pages; 0 also ignores connection failures. Without it: none. */
  readonly ignoreErrors?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /** Time-out for the connection, in seconds. Default: `30`. */
  readonly connectTimeout?: Numeric | Digits | Variable | null | undefined;
  /** Time-out for the response headers, in seconds. Without it: 300, or `requestTimeout`. */
  readonly headersTimeout?: Numeric | Digits | Variable | null | undefined;
  /** Longest pause within a response body, in seconds. Without it: 300, or `requestTimeout`. */
  readonly idleTimeout?: Numeric | Digits | Variable | null | undefined;
  /**
   * Time-out for the whole response including its body, in seconds. Without it: no limit, as long as data
   * arrives.
   */
  readonly requestTimeout?: Numeric | Digits | Variable | null | undefined;
  /** How many requests may be sent in a period; several rates all apply. Without it: no limit. */
  readonly rateLimit?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** Whether requests wait when the response headers say that no request remains. Default: `true`. */
  readonly rateLimitHeaders?: boolean | null | undefined;
  /** Whether requests ask for compressed responses, by the header `Accept-Encoding`. Default: `true`. */
  readonly acceptEncoding?: boolean | null | undefined;
}

/** Which failures are retried, how often, and after which delay. */
export interface ApiRetryConfigSection {
  /**
   * Retries after the first attempt; 0: none. Without it, a server that has not responded once in this run is
   * retried for at most 10 seconds. Default: `10`.
   */
  readonly maxRetries?: Numeric | Digits | Variable | null | undefined;
  /** The longest wait in seconds; a response that requires a longer wait fails at once. Default: `86400`. */
  readonly maxDelay?: Numeric | Digits | Variable | null | undefined;
  /** "full": a random wait, up to the growing wait, if the response states no delay. Default: `"none"`. */
  readonly jitter?: boolean | 'full' | 'none' | Variable | null | undefined;
  /** Methods to retry; requests of other methods are retried only if they were never sent. Without it: all. */
  readonly methods?: readonly (InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable)[] | null | undefined;
  /** Retries after a response. */
  readonly http?: {
    /** The response header that contains the delay. Default: `"Retry-After"`. */
    readonly retryHeader?: string | Variable | null | undefined;
    /** Statuses to retry. Default: `[500,502,503,504,408,420,429]`. */
    readonly codes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  } | null | undefined;
  /** Retries after a connection failure. */
  readonly curl?: {
    /** Connection failures to retry, as curl error numbers. Default: `[28,6,7,35,52,56,18]`. */
    readonly codes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  } | null | undefined;
  /** Old form of `http.retryHeader`. */
  readonly headerName?: string | Variable | null | undefined;
  /** Old form of `http.codes`. */
  readonly httpCodes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /** Old form of `curl.codes`. */
  readonly curlCodes?: readonly (Numeric | Digits | Variable)[] | null | undefined;
}

/** How a response is read; a job has the same keys in its own `response`. */
export interface ApiResponseSection {
  /**
   * What a body is: one JSON document, lines of JSON, a CSV file, an XML document, or one item of text or
   * bytes. Without it: guessed from `Content-Type` and the first byte.
   */
  readonly format?: 'json' | 'lines' | 'csv' | 'xml' | 'text' | 'binary' | Variable | null | undefined;
  /** What is undone before a body is read, in this order: base64, gzip, a ZIP archive, brotli. Default: `[]`. */
  readonly decode?: readonly ('base64' | 'gunzip' | 'unzip' | 'brotli' | Variable)[] | null | undefined;
  /**
   * The files of a ZIP archive that are read: patterns of their names, such as `*.csv`. Without it: the only
   * file; several are an error.
   */
  readonly members?: readonly (string | Variable)[] | null | undefined;
  /** Paths of texts in the items that are JSON: each is replaced by its value. Default: `[]`. */
  readonly parse?: readonly (string | readonly (string | Variable)[] | Variable)[] | null | undefined;
  /**
   * The path of a list of names in a JSON response whose items are arrays: each item becomes an object.
   * Without it: items stay as they are.
   */
  readonly columns?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** The encoding of text. Without it: UTF-8, or UTF-16 by its byte-order mark. */
  readonly encoding?: 'utf-8' | 'utf-16' | 'utf-16le' | 'utf-16be' | 'latin1' | 'windows-1252' | Variable | null | undefined;
  /** Whether the first line of a CSV file names its columns. Default: `true`. */
  readonly header?: boolean | Variable | null | undefined;
  /**
   * The names of the columns of a CSV file. Without it: those in the header; without a header `column_1`,
   * `column_2` and so on.
   */
  readonly names?: readonly (string | Variable)[] | null | undefined;
  /** The character between the cells of a CSV file. Without it: a comma. */
  readonly delimiter?: string | Variable | null | undefined;
  /** The character around cells of a CSV file; empty: cells are never quoted. Default: `"\""`. */
  readonly quote?: string | Variable | null | undefined;
  /**
   * The elements of XML that are items: a path from the root, the root included, such as `feed.entry`.
   * Without it: required with `"format": "xml"`.
   */
  readonly element?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** Whether names of XML keep their prefixes (`soap:Body`), or drop them. Default: `"keep"`. */
  readonly namespaces?: 'keep' | 'drop' | Variable | null | undefined;
}

/** An SSH server that forwards all requests, including logins; it resolves the names of hosts. */
export interface SshProxySection {
  /** The SSH server. */
  readonly host: string | Variable;
  /** Its port, usually 22. */
  readonly port: Numeric | Digits | Variable;
  /** The user to log in as. */
  readonly user: string | Variable;
  /** The private key with its line breaks as `\n`, in the format of ssh-keygen, PEM (RSA, EC) or PuTTY. */
  readonly '#privateKey': string | Variable;
  /** The passphrase of the private key. Without it: the key has no passphrase. */
  readonly '#passphrase'?: string | Variable | null | undefined;
  /**
   * The fingerprint of its host key, `SHA256:...`; a server with another key is rejected. Without it: the
   * server is not verified, and a notice reports its fingerprint.
   */
  readonly hostFingerprint?: string | Variable | null | undefined;
}

/** Signs every request for AWS (Signature Version 4), including logins, retries and redirects. */
export interface AwsSection {
  /** The settings of Signature Version 4. */
  readonly signature?: {
    /** The access key, and the service that it signs for. */
    readonly credentials?: {
      /** The id of the access key. */
      readonly accessKeyId: string | Variable;
      /** The secret key. */
      readonly '#secretKey': string | Variable;
      /** The service: `execute-api`, `s3`, `es`. */
      readonly serviceName: string | Variable;
      /** The region of the service: `eu-central-1`. */
      readonly regionName: string | Variable;
      /** The session token of temporary credentials. Without it: the key is a long-term key. */
      readonly '#sessionToken'?: string | Variable | null | undefined;
    } | null | undefined;
  } | null | undefined;
}

/** Stores responses in files and uses them instead of requests, while you develop a configuration. */
export interface CacheSection {
  /** How long a cached response is used, in seconds. Default: `604800`. */
  readonly ttl?: Numeric | Digits | Variable | null | undefined;
}

/**
 * The OAuth credentials for `oauth10`, `oauth20` and `oauth20.login`, beside `parameters` (or `api` and
 * `config`).
 */
export interface OAuthCredentials {
  /** The key of the application. */
  readonly appKey?: unknown;
  /** The secret of the application. */
  readonly '#appSecret'?: unknown;
  /** The token: a string of JSON, or the token itself, depending on the authentication type. */
  readonly '#data'?: unknown;
  /** Has no effect. */
  readonly [name: string]: unknown;
}

/** Settings of the operator of a configuration. */
export interface ImageParametersSection {
  /** The only URLs that requests may go to. Without it: all. */
  readonly allowed_hosts?: readonly ({
    /** The host; subdomains are other hosts. */
    readonly host: string | Variable;
    /** The scheme. Without it: both. */
    readonly scheme?: 'https' | 'http' | Variable | null | undefined;
    /** The port; URLs must then contain it. Without it: any. */
    readonly port?: Numeric | Digits | Variable | null | undefined;
    /** The beginning of the path, in whole segments. Without it: any. */
    readonly endpoint?: string | Variable | null | undefined;
  })[] | null | undefined;
  /** Has no effect. */
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
  | ResponseHeaderPagination
  | CursorPagination
  | KeysetPagination
  | MultiplePagination
  | NonePagination;

/** Sends the number of items to skip, until a page is shorter than the limit. */
export interface OffsetPagination extends PaginationBase {
  readonly method: 'offset';
  /** The page size. */
  readonly limit: Numeric | Digits | Variable;
  /** The parameter for the page size. Default: `"limit"`. */
  readonly limitParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** The parameter for the number of items to skip. Default: `"offset"`. */
  readonly offsetParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** False: the first request has neither offset nor page size. Default: `true`. */
  readonly firstPageParams?: boolean | Variable | null | undefined;
  /** Whether the first offset is the parameter of that name in the job. Default: `false`. */
  readonly offsetFromJob?: boolean | Variable | null | undefined;
  /**
   * Whether pages are requested with an overlap, so that items that move during the pull come once. Default:
   * `false`.
   */
  readonly repair?: boolean | Variable | null | undefined;
}

/** Sends the page number, until a page is shorter than the limit. */
export interface PagenumPagination extends PaginationBase {
  readonly method: 'pagenum';
  /** The page size; 0 means no limit. Without it: no limit. */
  readonly limit?: Numeric | Digits | Variable | null | undefined;
  /** The parameter for the page size. Default: `"limit"`. */
  readonly limitParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** The parameter for the page number. Default: `"page"`. */
  readonly pageParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /** False: the first request has neither page number nor page size. Default: `true`. */
  readonly firstPageParams?: boolean | Variable | null | undefined;
  /**
   * Whether pages are requested in sizes that overlap, so that items that move during the pull come once.
   * Default: `false`.
   */
  readonly repair?: boolean | Variable | null | undefined;
  /** The number of the first page. Default: `1`. */
  readonly firstPage?: Numeric | Digits | Variable | null | undefined;
}

/** Sends a value of each response with the next request, until there is none. */
export interface ResponseParamPagination extends PaginationBase {
  readonly method: 'response.param';
  /** Path in the response to that value. */
  readonly responseParam: string | Variable;
  /** The parameter for that value; it replaces all others of that name. */
  readonly queryParam: string | readonly (string | Variable)[] | Variable;
  /** Whether every request has the parameters of the job, not only the first. Default: `false`. */
  readonly includeParams?: boolean | Variable | null | undefined;
  /** Replaces parts of the job in the next requests; absent keys are those of the job. */
  readonly scrollRequest?: {
    /** The endpoint of the next requests. Without it: that of the job. */
    readonly endpoint?: string | Variable | null | undefined;
    /** The HTTP method of the next requests. Without it: that of the job. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** The parameters of the next requests. */
    readonly params?: OpenObject | null | undefined;
  } | null | undefined;
}

/** Follows a link in each response, until there is none. */
export interface ResponseUrlPagination extends PaginationBase {
  readonly method: 'response.url';
  /** Path in the response to the link. Default: `"next_page"`. */
  readonly urlKey?: string | Variable | null | undefined;
  /** Whether every request has the parameters of the job, not only the first. Default: `false`. */
  readonly includeParams?: boolean | Variable | null | undefined;
  /**
   * The value is only a query: its parameters replace those of the job, and the endpoint stays the same.
   * Default: `false`.
   */
  readonly paramIsQuery?: boolean | Variable | null | undefined;
  /** The separator between the segments of `urlKey`. Default: `"."`. */
  readonly delimiter?: string | Variable | null | undefined;
}

/** Like `response.url`, but ends at a link to the last six minutes. */
export interface ZendeskResponseUrlPagination extends PaginationBase {
  readonly method: 'zendesk.response.url';
  /** Path in the response to the link. Default: `"next_page"`. */
  readonly urlKey?: string | Variable | null | undefined;
  /** Whether every request has the parameters of the job, not only the first. Default: `false`. */
  readonly includeParams?: boolean | Variable | null | undefined;
  /**
   * The value is only a query: its parameters replace those of the job, and the endpoint stays the same.
   * Default: `false`.
   */
  readonly paramIsQuery?: boolean | Variable | null | undefined;
}

/** Follows the `Link` header of each response, or another one, until there is no link to a next page. */
export interface LinkHeaderPagination extends PaginationBase {
  readonly method: 'link-header';
  /** The header with the link, upper or lower case. Default: `"Link"`. */
  readonly header?: string | Variable | null | undefined;
  /** The relation of the link to follow. Default: `"next"`. */
  readonly rel?: string | Variable | null | undefined;
  /** Whether every request has the parameters of the job, not only the first. Default: `false`. */
  readonly includeParams?: boolean | null | undefined;
}

/** Sends a header of each response with the next request, until there is none. */
export interface ResponseHeaderPagination extends PaginationBase {
  readonly method: 'response.header';
  /** The header with that value, upper or lower case. */
  readonly header: string | Variable;
  /** The parameter for that value; it replaces all others of that name. */
  readonly queryParam: string | readonly (string | Variable)[] | Variable;
  /** Whether every request has the parameters of the job, not only the first. Default: `false`. */
  readonly includeParams?: boolean | Variable | null | undefined;
  /** Replaces parts of the job in the next requests; absent keys are those of the job. */
  readonly scrollRequest?: {
    /** The endpoint of the next requests. Without it: that of the job. */
    readonly endpoint?: string | Variable | null | undefined;
    /** The HTTP method of the next requests. Without it: that of the job. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** The parameters of the next requests. */
    readonly params?: OpenObject | null | undefined;
  } | null | undefined;
}

/** Requests items above the highest id so far, until a page is empty. */
export interface CursorPagination extends PaginationBase {
  readonly method: 'cursor';
  /** Path in each item to its id. */
  readonly idKey: string | Variable;
  /** The parameter that carries the id. */
  readonly param: string | readonly (string | Variable)[] | Variable;
  /** Whether to use the lowest id instead of the highest. Default: `false`. */
  readonly reverse?: boolean | Variable | null | undefined;
  /** Added to the id; may be negative. Default: `0`. */
  readonly increment?: Numeric | Digits | Variable | null | undefined;
}

/** Requests the items after the key of the last item, until there are none. */
export interface KeysetPagination extends PaginationBase {
  readonly method: 'keyset';
  /** Path in each item to its key, a string or a number. */
  readonly field: string | Variable;
  /** The parameter that carries the key of the last item. */
  readonly param: string | readonly (string | Variable)[] | Variable;
  /** The page size; 0 means no limit. Without it: no limit. */
  readonly limit?: Numeric | Digits | Variable | null | undefined;
  /** The parameter for the page size. Default: `"limit"`. */
  readonly limitParam?: string | readonly (string | Variable)[] | Variable | null | undefined;
  /**
   * Path in the response to a flag that says whether more items follow. Without it: the number of items
   * decides.
   */
  readonly moreField?: string | Variable | null | undefined;
  /** Whether the API repeats the item whose key was sent; the repeated item is dropped. Default: `false`. */
  readonly inclusive?: boolean | Variable | null | undefined;
  /** `json` sends the key as JSON, a string in quotes. Without it: the key is sent unchanged. */
  readonly encode?: 'json' | Variable | null | undefined;
}

/** Several named methods: the `scroller` of each job selects one. */
export interface MultiplePagination extends PaginationBase {
  readonly method: 'multiple';
  /** The methods by name; each is written like `api.pagination`. */
  readonly scrollers: { readonly [name: string]: Pagination | undefined };
  /** The name for jobs without `scroller`. Without it: one request for each job. */
  readonly default?: string | Variable | null | undefined;
}

/** One request for each job, as without a method; for a job that does not use `api.pagination`. */
export interface NonePagination extends PaginationBase {
  readonly method: 'none';
}

/** Keys beside any `method`. */
export interface PaginationBase {
  /** Ends a job after a number of items. */
  readonly limitStop?: {
    /** The number of items. */
    readonly count?: Numeric | Digits | Variable | null | undefined;
    /** Path in each response to that number. */
    readonly field?: string | Variable | null | undefined;
  } | null | undefined;
  /** Ends a job after a number of pages, a time, or a volume, whichever is reached first. */
  readonly forceStop?: {
    /** The maximum number of pages. Without it: no limit. */
    readonly pages?: Numeric | Digits | Variable | null | undefined;
    /** The maximum time since the first request; the current page is finished. Without it: no limit. */
    readonly time?: Numeric | string | Variable | null | undefined;
    /** The maximum bytes of all responses, counted as compact JSON with `\/` and `\uXXXX`. Without it: no limit. */
    readonly volume?: Numeric | Digits | Variable | null | undefined;
  } | null | undefined;
  /** Ends a job depending on a flag in the response. */
  readonly nextPageFlag?: {
    /** The name of the flag at the top level of the response, or a path to it as a list of names. */
    readonly field: string | readonly (string | Variable)[] | Variable;
    /** The value of the flag that ends the job. */
    readonly stopOn: boolean;
    /** The value to assume if the flag is absent or null. Without it: the value of `stopOn`. */
    readonly ifNotSet?: boolean | null | undefined;
  } | null | undefined;
  /** A whole number; has no effect. */
  readonly pages?: Numeric | Digits | Variable | null | undefined;
  /**
   * Path in each response to the total number of items. Without it: well-known places, if they are
   * unambiguous.
   */
  readonly totalKey?: string | Variable | null | undefined;
  /** Whether pages with the items of earlier pages are correct. Default: `false`. */
  readonly allowRepeatedItems?: boolean | Variable | null | undefined;
  /** Statuses that say that there are no more pages, such as 404. Without it: none. */
  readonly endStatuses?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /** How many pages are requested ahead, with `pagenum` and `offset`. Default: `0`. */
  readonly prefetch?: Numeric | Digits | Variable | null | undefined;
  /**
   * Whether the next page is requested as soon as its address is known, while the page still arrives.
   * Default: `false`.
   */
  readonly overlap?: boolean | Variable | null | undefined;
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

/** The user and password in `config`, sent as HTTP Basic. */
export interface BasicAuthentication {
  readonly type: 'basic';
}

/** A fixed token in the `Authorization` header. */
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
  /** Where the key is sent. Default: `"header"`. */
  readonly in?: 'header' | 'query' | Variable | null | undefined;
  /** The name of that header or parameter. */
  readonly name: string | Variable;
  /** The key. */
  readonly value: Evaluated<'attr'> | string | Numeric | Variable;
}

/** Query parameters, computed for every request. */
export interface QueryAuthentication {
  readonly type: 'query';
  /** The parameters to add to the URL, with every method. */
  readonly query: OpenObject;
}

/**
 * The old name of the type `query`.
 * @deprecated Write `query`.
 */
export interface UrlQueryAuthentication {
  readonly type: 'url.query';
  /** The parameters to add to the URL, with every method. */
  readonly query: OpenObject;
}

/** A login request, whose response contains what authenticates all other requests. */
export interface LoginAuthentication {
  readonly type: 'login';
  /** The request that logs in. */
  readonly loginRequest: {
    /** The URL of the login request, absolute or relative to `baseUrl`. */
    readonly endpoint: string | Variable;
    /** The HTTP method; it determines how the parameters are sent. Default: `"GET"`. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** Parameters of the login request. */
    readonly params?: Expressions<'attr'> | null | undefined;
    /** Headers of the login request. */
    readonly headers?: EvaluatedHeaders<'attr'> | null | undefined;
  };
  /** The format of the login response. Default: `"json"`. */
  readonly format?: 'json' | 'text' | Variable | null | undefined;
  /** What to add to every request after the login. */
  readonly apiRequest?: {
    /** Headers of every request after the login; they replace headers of the same name. */
    readonly headers?: EvaluatedHeaders<'attr' | 'response'> | null | undefined;
    /** Query parameters of every request after the login. */
    readonly query?: Expressions<'attr' | 'response'> | null | undefined;
  } | null | undefined;
  /**
   * When to log in again: after a number of seconds (0: before every request), or at a time in the response.
   * Without it: one login for the whole run.
   */
  readonly expires?: {
    /** Path in the login response to the expiry. */
    readonly response: string | Variable;
    /** Whether that value is a number of seconds from now. Default: `false`. */
    readonly relative?: boolean | Variable | null | undefined;
  } | Numeric | Digits | Variable | null | undefined;
  /** Statuses that mean that the API rejects the token; replaces the default list. Default: `[401]`. */
  readonly refusedBy?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /**
   * A text in the first 4 KiB of a response, with any status, that means that the API rejects the token.
   * Without it: only `refusedBy` counts.
   */
  readonly refusedText?: string | Variable | null | undefined;
  /** Whether iterations whose login requests are identical share one login. Default: `false`. */
  readonly shared?: boolean | Variable | null | undefined;
}

/** Signs every request with HMAC-SHA1, according to OAuth 1.0. */
export interface Oauth10Authentication {
  readonly type: 'oauth10';
}

/** Headers and parameters computed from the OAuth 2.0 token in the document. */
export interface Oauth20Authentication {
  readonly type: 'oauth20';
  /** The format of the token in `#data`. Default: `"text"`. */
  readonly format?: 'text' | 'json' | Variable | null | undefined;
  /** Headers of every request; they replace headers of the same name. */
  readonly headers?: EvaluatedHeaders<'authorization' | 'query' | 'request'> | null | undefined;
  /** Query parameters of every request; they replace parameters of the same name. */
  readonly query?: Expressions<'authorization' | 'query' | 'request'> | null | undefined;
}

/** A login whose request refers to the OAuth 2.0 application and token in the document. */
export interface Oauth20LoginAuthentication {
  readonly type: 'oauth20.login';
  /** The request that logs in. */
  readonly loginRequest: {
    /** The URL of the login request, absolute or relative to `baseUrl`. */
    readonly endpoint: string | Variable;
    /** The HTTP method; it determines how the parameters are sent. Default: `"GET"`. */
    readonly method?: InAnyCase<'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'> | Variable | null | undefined;
    /** Parameters of the login request. */
    readonly params?: Expressions<'attr' | 'consumer' | 'user'> | null | undefined;
    /** Headers of the login request. */
    readonly headers?: EvaluatedHeaders<'attr' | 'consumer' | 'user'> | null | undefined;
  };
  /** The format of the login response. Default: `"json"`. */
  readonly format?: 'json' | 'text' | Variable | null | undefined;
  /** What to add to every request after the login. */
  readonly apiRequest?: {
    /** Headers of every request after the login; they replace headers of the same name. */
    readonly headers?: EvaluatedHeaders<'attr' | 'response'> | null | undefined;
    /** Query parameters of every request after the login. */
    readonly query?: Expressions<'attr' | 'response'> | null | undefined;
  } | null | undefined;
  /**
   * When to log in again: after a number of seconds (0: before every request), or at a time in the response.
   * Without it: one login for the whole run.
   */
  readonly expires?: {
    /** Path in the login response to the expiry. */
    readonly response: string | Variable;
    /** Whether that value is a number of seconds from now. Default: `false`. */
    readonly relative?: boolean | Variable | null | undefined;
  } | Numeric | Digits | Variable | null | undefined;
  /** Statuses that mean that the API rejects the token; replaces the default list. Default: `[401]`. */
  readonly refusedBy?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /**
   * A text in the first 4 KiB of a response, with any status, that means that the API rejects the token.
   * Without it: only `refusedBy` counts.
   */
  readonly refusedText?: string | Variable | null | undefined;
  /** Whether iterations whose login requests are identical share one login. Default: `false`. */
  readonly shared?: boolean | Variable | null | undefined;
}

/** Requests an OAuth 2.0 token with client credentials or a refresh token, and renews it. */
export interface Oauth2Authentication {
  readonly type: 'oauth2';
  /** The grant: the client itself, or a refresh token that a user has approved. */
  readonly grant: 'client_credentials' | 'refresh_token' | Variable;
  /** The URL for token requests, absolute or relative to `baseUrl`. */
  readonly tokenEndpoint: string | Variable;
  /** The id of the client. */
  readonly clientId: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable;
  /** The secret of the client. Without it: a public client, only for `refresh_token`. */
  readonly clientSecret?: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable | null | undefined;
  /** How the secret is sent: in a header (HTTP Basic), or as a parameter. Default: `"basic"`. */
  readonly clientAuthentication?: 'basic' | 'body' | Variable | null | undefined;
  /** The first refresh token; required for `refresh_token` without `tokenStore`. */
  readonly refreshToken?: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable | null | undefined;
  /**
   * The path of a file, or the address of a state at a server, that keeps the latest refresh token, for
   * `refresh_token`. Without it: a new refresh token is used until the run ends.
   */
  readonly tokenStore?: string | Variable | null | undefined;
  /** The URL where a user approves access in a browser, with its query; only for `rxtract login`. */
  readonly authorizationEndpoint?: string | Variable | null | undefined;
  /** The URL that gives a code to a device without a browser; only for `rxtract login`. */
  readonly deviceEndpoint?: string | Variable | null | undefined;
  /** The scope to request: words separated by spaces. */
  readonly scope?: Evaluated<'attr' | 'consumer' | 'user'> | string | Numeric | Variable | null | undefined;
  /** More parameters of the token request, such as `audience` or `resource`. */
  readonly params?: Expressions<'attr' | 'consumer' | 'user'> | null | undefined;
  /** Statuses that mean that the API rejects the token; replaces the default list. Default: `[401]`. */
  readonly refusedBy?: readonly (Numeric | Digits | Variable)[] | null | undefined;
  /**
   * A text in the first 4 KiB of a response, with any status, that means that the API rejects the token.
   * Without it: only `refusedBy` counts.
   */
  readonly refusedText?: string | Variable | null | undefined;
  /** Whether iterations whose login requests are identical share one login. Default: `false`. */
  readonly shared?: boolean | Variable | null | undefined;
}

/** What an expression may refer to. */
export interface References {
  /** A value of the `config` section. */
  readonly attr: Path;
  /** The start of this run, or of the last successful run, in Unix seconds. */
  readonly time: Path;
  /** The value that the job remembers from run to run, less its look-back. */
  readonly incremental: Path;
  /** A value of the login response. */
  readonly response: Path;
  /** A query parameter of the request, decoded, before authentication is added. */
  readonly query: Path;
  /** A part of the request, before authentication is added. */
  readonly request: Path;
  /** A value of the OAuth credentials, or a nonce or timestamp for this request. */
  readonly authorization: Path;
  /** The OAuth application: `client_id` and `client_secret`. */
  readonly consumer: Path;
  /** A value of the OAuth token, which is JSON. */
  readonly user: Path;
  /** The value of the placeholder. */
  readonly placeholder: Path;
}

/** A function of the language, and its arguments. */
export type Call<Name extends keyof References> =
  | {
      /** A string as base64, with padding. */
      readonly function: 'base64_encode';
      /** Text: the string to encode, as UTF-8. */
      readonly args: readonly [text: Expression<Name>];
    }
  | {
      /** Its arguments, joined. */
      readonly function: 'concat';
      /** Values: strings; true becomes "1", false and null become empty. */
      readonly args?: readonly [...values: readonly Expression<Name>[]] | undefined;
    }
  | {
      /** A time as a string in the given format, in UTC. */
      readonly function: 'date';
      /**
       * Format: letters for the fields of a date, and other characters between them; timestamp: the time in Unix
       * seconds; without it, now.
       */
      readonly args: readonly [format: Expression<Name>, timestamp?: Expression<Name>];
    }
  | {
      /** The digest of a string with a given algorithm, in hexadecimal digits. */
      readonly function: 'hash';
      /**
       * Algorithm: md4, md5, sha1, sha224, sha256, sha384, sha512/224, sha512/256, sha512, sha3-224, sha3-256,
       * sha3-384, sha3-512, ripemd160, whirlpool, adler32, crc32, crc32b, crc32c, fnv132, fnv1a32, fnv164,
       * fnv1a64, joaat; md4 and whirlpool if OpenSSL supports them; text: the string to digest, as UTF-8.
       */
      readonly args: readonly [algorithm: Expression<Name>, text: Expression<Name>];
    }
  | {
      /** The HMAC of a string with a key, in hexadecimal digits. */
      readonly function: 'hash_hmac';
      /**
       * Algorithm: md4, md5, sha1, sha224, sha256, sha384, sha512/224, sha512/256, sha512, sha3-224, sha3-256,
       * sha3-384, sha3-512, ripemd160, whirlpool; md4 and whirlpool if OpenSSL supports them; text: the string to
       * sign, as UTF-8; key: the secret, as UTF-8.
       */
      readonly args: readonly [algorithm: Expression<Name>, text: Expression<Name>, key: Expression<Name>];
    }
  | {
      /** A value, or another value if it is empty. */
      readonly function: 'ifempty';
      /**
       * Value: the result, unless it is `""`, `"0"`, 0, false, null, an empty list or an empty object; otherwise:
       * the result in that case.
       */
      readonly args: readonly [value: Expression<Name>, otherwise: Expression<Name>];
    }
  | {
      /** The elements of a list as one string, with a separator. */
      readonly function: 'implode';
      /**
       * Glue: the separator between two elements; list: strings, or expressions; an object counts as the list of
       * its values.
       */
      readonly args: readonly [glue: Expression<Name>, list: Expression<Name>];
    }
  | {
      /** The MD5 digest of a string, in hexadecimal digits. */
      readonly function: 'md5';
      /** Text: the string to digest, as UTF-8. */
      readonly args: readonly [text: Expression<Name>];
    }
  | {
      /** The SHA-1 digest of a string, in hexadecimal digits. */
      readonly function: 'sha1';
      /** Text: the string to digest, as UTF-8. */
      readonly args: readonly [text: Expression<Name>];
    }
  | {
      /** A format string whose directives, such as `%05d`, are replaced by values. */
      readonly function: 'sprintf';
      /**
       * Format: characters and directives: `%`, `1$` for the first value, flags, width, `.precision`, a letter;
       * values: one for each directive; further values are not used.
       */
      readonly args: readonly [format: Expression<Name>, ...values: readonly Expression<Name>[]];
    }
  | {
      /** A date or relative time as Unix seconds, or false for a string that cannot be parsed. */
      readonly function: 'strtotime';
      /**
       * Text: a date, a time, a relative offset, or several of these; base: the base of relative times, in Unix
       * seconds; without it, now.
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
      /** A string encoded for a URL: `%XX` for special characters, `+` for a space. */
      readonly function: 'urlencode';
      /** Text: the string to encode, as UTF-8. */
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
