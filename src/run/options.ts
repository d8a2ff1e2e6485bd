/** What `extract` and `run` take beside the configuration. */

import type { SinkFunction } from '../../sinks/contract.js';
import type { AnySink } from '../../sinks/legacy-sink.js';
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import type { Store } from '../checkpoint/store/store.js';
import type { EnvironmentVariables } from '../config/env.js';
import type { OutputNaming } from '../config/table-settings.js';
import type { LimitOptions } from '../core/model/job-stats.js';
import type { Notify } from '../core/model/notice.js';
import type { Receipt } from '../core/model/page.js';
import type { CredentialBroker } from '../http/credential-broker.js';
import type { RateLimiter } from '../http/rate-limiter.js';
import type { Dispatcher } from '../http/transport/transport.js';
import type { OnActivity } from '../page/progress.js';
import type { ChangedPageRule } from './commit-page.js';

export interface ExtractOptions<Item = unknown> extends LimitOptions {
  /** Where items go; without it they are counted and dropped. */
  readonly to?: AnySink<Item> | SinkFunction<Item>;
  /** Names of the jobs to run; without it all. */
  readonly jobs?: readonly string[];
  /** The most requests in flight over all jobs; 1. */
  readonly concurrency?: number;
  /** Warnings become errors. */
  readonly strict?: boolean;
  /** Codes of warnings that are none to you: they are told for debugging, and no error under `strict`. */
  readonly allow?: readonly string[];
  /** Hears warnings and waits; messages are masked. */
  readonly notify?: Notify;
  /** The largest item in bytes; 64 MiB, at most 512 MiB. */
  readonly maxItemBytes?: number;
  /** The largest body in bytes, decoded; without it a body may have any size, as it is never held whole. */
  readonly maxBodyBytes?: number;
  /**
   * The state that the last run left, a plain object: what `time` expressions refer to. Without it this is the first
   * run.
   */
  readonly state?: object;
  /**
   * What `{"env": "NAME"}` in the configuration refers to, `process.env` for instance; without it there are no
   * variables.
   */
  readonly env?: EnvironmentVariables;
  /**
   * What sinks are told as data types: those of the jobs (`dataType`, the default), or with the bucket of the
   * configuration in front, where it has one.
   */
  readonly outputNames?: OutputNaming;
  /**
   * An output replaces that of an earlier run also where no page had anything at `dataField`, not even an empty list;
   * without it the earlier one stays then, with the warning `not-replaced`. Default: `dataFolder`.
   */
  readonly replaceEmpty?: boolean;
  /**
   * What to do if a page is requested again that a sink with transactions has already, and it has changed and leads to
   * another page: `fail` with ERR_PAGE_CHANGED, or give it to the sink `again`, so that items may arrive twice. Default:
   * `fail`.
   */
  readonly onChangedPage?: ChangedPageRule;
  /** An undici dispatcher to send with: a proxy agent, a MockAgent. Closing it stays with the caller. */
  readonly dispatcher?: Dispatcher;
  /**
   * What requests go through: the URL of a proxy (http, https, socks5), with `${NAME}` in its user information from
   * `env`; or `env` for HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the option `env`. Without it connections are direct.
   */
  readonly proxy?: string;
  /**
   * What requests wait for in the place of `api.http.rateLimit` and `rateLimitHeaders`: hand the same one to several
   * extractions, and their requests count together. Without it each extraction has its own.
   */
  readonly rateLimiter?: RateLimiter;
  /**
   * Where logins are held: extractions with the same one share a login whose requests are identical, unless `expires`
   * is 0. Iterations have a login each, as without it, but for `shared`. Without it each extraction logs in for itself.
   */
  readonly credentials?: CredentialBroker;
  /**
   * Where answers are kept if the configuration has `cache`; without it they are not. Made when it is needed, for its
   * owner alone.
   */
  readonly cacheFolder?: string;
  /**
   * The run is one of a data folder: what is retried, and what ends a run, is as the platforms with such folders expect
   * it.
   */
  readonly dataFolder?: boolean;
  /**
   * Hears what each job waits for and how far its page has come: for a display. Without it nothing is counted on the
   * way.
   */
  readonly onActivity?: OnActivity;
  /**
   * Where `receipts` keep their state, and where they go on: what `openCheckpoint` gives. It is closed with the run;
   * where `receipts` are never subscribed to, by whoever opened it. Without it no state is kept.
   */
  readonly checkpoint?: Checkpoint;
}

export interface RunOptions<Item = unknown> extends ExtractOptions<Item> {
  /** Called with each receipt: progress. */
  readonly onReceipt?: (receipt: Receipt) => void;
  /**
   * Aborting it interrupts the run: the request in flight is aborted, the sink left valid. Rejects with ERR_ABORTED.
   */
  readonly signal?: AbortSignal;
  /**
   * Keeps the state of the run, so that another can go on where it is broken off; with `resume` this one does, where
   * there is something.
   */
  readonly store?: Store;
  readonly resume?: boolean;
}

const optionTable: Readonly<Record<keyof ExtractOptions, true>> = {
  to: true,
  jobs: true,
  concurrency: true,
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
  dispatcher: true,
  proxy: true,
  rateLimiter: true,
  credentials: true,
  cacheFolder: true,
  dataFolder: true,
  onChangedPage: true,
  onActivity: true,
  checkpoint: true,
};
/** The names of the options of `extract`, and of `run`. */
export const extractOptions: readonly string[] = Object.keys(optionTable);
export const runOptions: readonly string[] = [...extractOptions, 'onReceipt', 'signal', 'store', 'resume'];
