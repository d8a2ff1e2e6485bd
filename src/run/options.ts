/** The options of `extract` and `run`. */

import type { ItemErrorRule } from '../../sinks/decorators/dead-letters.js';
import type { Checkpoint, CheckpointOptions } from '../checkpoint/checkpoint.js';
import type { Store } from '../checkpoint/store/store.js';
import type { EnvironmentVariables } from '../config/env.js';
import type { OutputNaming } from '../config/table-settings.js';
import type { LimitOptions } from '../core/model/job-stats.js';
import type { Notify } from '../core/model/notice.js';
import type { OnOutlook } from '../core/model/outlook.js';
import type { Receipt } from '../core/model/page.js';
import type { CredentialBroker } from '../http/credential-broker.js';
import type { Exchanges } from '../http/exchanges.js';
import type { RateLimiter } from '../http/rate-limiter.js';
import type { Dispatcher } from '../http/transport/transport.js';
import type { OnActivity } from '../page/progress.js';
import type { Prefetch } from '../pagination/types.js';
import type { MinItems } from './output/min-items.js';
import type { SinkTarget } from './output/sink-target.js';
import type { ChangedPageRule } from './walk/commit-page.js';

export interface ExtractOptions<Item = unknown> extends LimitOptions {
  /**
   * Where items go: a sink, a function, an address such as `ndjson:out`, as of `--to`, or a list of these. `${NAME}` in
   * an address is a variable of `env`. Absent: they are counted and dropped.
   */
  readonly to?: SinkTarget<Item> | readonly SinkTarget<Item>[];
  /**
   * Which members of items sinks get, such as `users: id, address.city as city` or `!password`; one for each data type.
   * Absent: all. docs/07-sinks.md#select.
   */
  readonly select?: string | readonly string[];
  /** Names of the jobs to run. Absent: all. */
  readonly jobs?: readonly string[];
  /** The most requests in flight over all jobs; default 1. */
  readonly concurrency?: number;
  /**
   * How many pages of each job are requested ahead with `pagenum` and `offset`, from 0 to 100, or `auto`. Replaces
   * `prefetch` of the configuration. These requests do not count for `concurrency`.
   */
  readonly prefetch?: Prefetch;
  /** Warnings become errors. */
  readonly strict?: boolean;
  /** Codes of warnings to ignore: they become debug notices, and are no errors under `strict`. */
  readonly allow?: readonly string[];
  /** Receives notices, such as warnings and waits; messages are masked. */
  readonly notify?: Notify;
  /** The largest item in bytes; default 64 MiB, at most 512 MiB. */
  readonly maxItemBytes?: number;
  /** The largest body in bytes, decoded. Absent: any size, as a body is never held whole. */
  readonly maxBodyBytes?: number;
  /**
   * The state that the last run left, a plain object: `time` expressions refer to it. Absent: this is the first run.
   */
  readonly state?: object;
  /** The variables for `{"env": "NAME"}` in the configuration, such as `process.env`. Absent: there are none. */
  readonly env?: EnvironmentVariables;
  /**
   * The data types that sinks get: those of the jobs (`dataType`, the default), or these with the bucket of the
   * configuration in front, if it has one.
   */
  readonly outputNames?: OutputNaming;
  /**
   * An output replaces that of an earlier run even if no page had anything at `dataField`, not even an empty list.
   * Otherwise the earlier one stays, with the warning `not-replaced`. Default: `dataFolder`. `true` also means that an
   * output may lose all its items without the warning `emptied`.
   */
  readonly replaceEmpty?: boolean;
  /**
   * The least number of items of each data type, or by data type, such as `{ users: 100, '*': 1 }`. With fewer the run
   * fails with ERR_MIN_ITEMS before anything is published. docs/07-sinks.md#an-earlier-output.
   */
  readonly minItems?: MinItems;
  /**
   * What to do if a page that a sink with transactions has already is requested again, has changed and leads to another
   * page: `fail` with ERR_PAGE_CHANGED, or send it to the sink `again`, so that items may arrive twice. Default:
   * `fail`.
   */
  readonly onChangedPage?: ChangedPageRule;
  /**
   * What to do with items that a destination refuses for their size, a type or a constraint: `fail`, `skip`, or store
   * them as dead letters in a sink. Default: `fail`. docs/07-sinks.md#items-that-a-destination-refuses.
   */
  readonly onItemError?: ItemErrorRule;
  /** The undici dispatcher for requests: a proxy agent, a MockAgent. The caller closes it. */
  readonly dispatcher?: Dispatcher;
  /**
   * The proxy for requests: a URL (http, https, socks5), with `${NAME}` in its user information from `env`; or `env`
   * for HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the option `env`. Absent: connections are direct.
   */
  readonly proxy?: string;
  /**
   * Replaces `api.http.rateLimit` and `rateLimitHeaders`. Extractions with the same limiter count their requests
   * together. Absent: each extraction has its own.
   */
  readonly rateLimiter?: RateLimiter;
  /**
   * Holds logins. Extractions with the same broker share a login whose requests are identical, unless `expires` is 0.
   * Iterations log in separately, unless `shared` is set. Absent: each extraction logs in for itself.
   */
  readonly credentials?: CredentialBroker;
  /**
   * The folder of the cache, if the configuration has `cache`. It is created when needed, and only its owner can read
   * it. Absent: no response is cached.
   */
  readonly cacheFolder?: string;
  /**
   * The result of `recordExchanges`, which records every request and response of this run, or of `replayExchanges`,
   * which answers its requests. The caller closes it. There is no cache then.
   */
  readonly exchanges?: Exchanges;
  /** The run works on a data folder: retries, and errors that end a run, follow the platforms with such folders. */
  readonly dataFolder?: boolean;
  /** Receives what each job waits for and the progress of its page, for a display. Absent: progress is not counted. */
  readonly onActivity?: OnActivity;
  /** Receives what is left of a job after each of its pages, as far as it is known, for a display. */
  readonly onOutlook?: OnOutlook;
  /**
   * The result of `openCheckpoint`: `receipts` keep their state there and resume from it. The run closes it; the caller
   * closes it if there is no subscription to `receipts`. Absent: no state is kept.
   */
  readonly checkpoint?: Checkpoint;
}

export interface RunOptions<Item = unknown> extends ExtractOptions<Item> {
  /** Called with each receipt, for progress. */
  readonly onReceipt?: (receipt: Receipt) => void;
  /**
   * Aborting it interrupts the run: the request in flight is aborted, and the sink stays valid. Rejects with
   * ERR_ABORTED.
   */
  readonly signal?: AbortSignal;
  /**
   * Keeps the state of the run, so that another run can resume it. `resume` says whether this run resumes the earlier
   * one: see `openCheckpoint`.
   */
  readonly store?: Store;
  readonly resume?: CheckpointOptions['resume'];
}

const optionTable: Readonly<Record<keyof ExtractOptions, true>> = {
  to: true,
  select: true,
  jobs: true,
  concurrency: true,
  prefetch: true,
  strict: true,
  allow: true,
  notify: true,
  maxItemBytes: true,
  maxBodyBytes: true,
  maxPages: true,
  maxItems: true,
  maxDuration: true,
  state: true,
  env: true,
  outputNames: true,
  replaceEmpty: true,
  minItems: true,
  dispatcher: true,
  proxy: true,
  rateLimiter: true,
  credentials: true,
  cacheFolder: true,
  exchanges: true,
  dataFolder: true,
  onChangedPage: true,
  onItemError: true,
  onActivity: true,
  onOutlook: true,
  checkpoint: true,
};
/** The names of the options of `extract`, and of `run`. */
export const extractOptions: readonly string[] = Object.keys(optionTable);
export const runOptions: readonly string[] = [...extractOptions, 'onReceipt', 'signal', 'store', 'resume'];
