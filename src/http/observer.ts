/** What watches a run: metrics and traces. A run without observers does none of this. */
import type { SinkOutput } from '../../sinks/contract.js';
import type { ValueShape } from '../../sinks/shape/value-shape.js';
import type { Credentials } from '../auth/types.js';
import type { JobSummary } from '../core/model/job-stats.js';
import type { Receipt } from '../core/model/page.js';
import type { RequestsWatch, RequestWatch, ServerAddress } from '../core/model/request-watch.js';
import { listeningTogether, type OnActivity } from '../page/progress.js';

/** The option `observe`: makes an observer for each extraction. */
export interface Observe {
  /** For rxtract alone. `mask` hides the secrets of the run in names. */
  observer(mask: (text: string) => string): RunObserver;
}

/** Methods must be fast and must not throw. Names and messages are not masked. */
export interface RunObserver {
  /** Called with what each page waits for; absent: it does not want to know. */
  readonly onActivity?: OnActivity | undefined;
  /** It wants to know the shape of items: a sample of them is observed. */
  readonly samplesItems?: true | undefined;
  /** The sinks of a run are opened, before its begin; absent: it does not want to know. */
  opens?(run: RunDescription): void;
  /** A run of jobs begins. Runs of one extraction may overlap. */
  begin(run: RunTotals): void;
  /** It has ended; undefined: with success. */
  end(failure: unknown): void;
  /** A job begins. */
  job(name: string): JobWatch;
  /** A login of the API begins. */
  login(api: ServerAddress): LoginWatch;
  /** What the run remembers of its jobs: before its begin, and after its end. */
  remembers(values: readonly RememberedMoment[]): void;
}

/** What a run takes and writes. */
export interface RunDescription {
  /** Endpoints of jobs and their children: addresses, whose placeholders are not filled in. Not masked. */
  readonly inputs: readonly string[];
  /** What the sinks have written so far. */
  outputs(): readonly NamedOutput[];
  /** The shapes of the items that were observed, by data type. */
  shapes(): ReadonlyMap<string, ValueShape>;
}

export interface NamedOutput extends SinkOutput {
  /** The name of its sink, such as `ndjson:out`. */
  readonly sink: string;
}

export interface RunTotals {
  /** The totals of all jobs, now; those of an earlier process count before the begin. */
  jobs(): readonly JobSummary[];
}

/** Follows a job, or a child job for one row. Requests that are for no page are those for its report. */
export interface JobWatch extends RequestsWatch {
  /** A child job begins, for one row. */
  job(name: string): JobWatch;
  /** A page begins: with its first request, or before it. Pages may overlap. */
  page(index: number): PageWatch;
  /** `failure`: undefined with success. */
  ends(failure: unknown): void;
}

/** Follows a page, from its first request to its commit: the requests of all attempts, and their redirects. */
export interface PageWatch extends RequestsWatch {
  /** The page was read, and its sinks begin to commit it. */
  commit(): CommitWatch;
  /** Its sinks have it. */
  succeeds(page: WrittenPage): void;
  /** Undefined: it was requested before its turn, and is not needed. */
  fails(failure: unknown): void;
}

export type WrittenPage = Pick<Receipt, 'count' | 'bytes'>;

export interface CommitWatch {
  /** `failure`: undefined with success. */
  ends(failure: unknown): void;
}

export interface LoginWatch extends RequestsWatch {
  succeeds(credentials: Pick<Credentials, 'expiresAt'>): void;
  fails(failure: unknown): void;
}

/** A date that a job remembers. */
export interface RememberedMoment {
  readonly job: string;
  /** Epoch ms; the oldest, if the job remembers one for each parent. */
  readonly at: number;
}

/** One observer of several; undefined: there is none. */
export const joinObservers = (all: readonly RunObserver[]): RunObserver | undefined =>
  all.length === 0 ? undefined : all.reduce(joined);

function joined(one: RunObserver, other: RunObserver): RunObserver {
  return {
    onActivity: listeningTogether([one.onActivity, other.onActivity]),
    samplesItems: one.samplesItems ?? other.samplesItems,
    opens(run) {
      one.opens?.(run);
      other.opens?.(run);
    },
    begin(run) {
      one.begin(run);
      other.begin(run);
    },
    end(failure) {
      one.end(failure);
      other.end(failure);
    },
    job: (name) => bothJobs(one.job(name), other.job(name)),
    login: (api) => bothLogins(one.login(api), other.login(api)),
    remembers(values) {
      one.remembers(values);
      other.remembers(values);
    },
  };
}

const bothJobs = (one: JobWatch, other: JobWatch): JobWatch => ({
  ...bothRequests(one, other),
  job: (name) => bothJobs(one.job(name), other.job(name)),
  page: (index) => bothPages(one.page(index), other.page(index)),
  ends(failure) {
    one.ends(failure);
    other.ends(failure);
  },
});

const bothPages = (one: PageWatch, other: PageWatch): PageWatch => ({
  ...bothRequests(one, other),
  commit() {
    const [first, second] = [one.commit(), other.commit()];
    return {
      ends(failure) {
        first.ends(failure);
        second.ends(failure);
      },
    };
  },
  succeeds(counts) {
    one.succeeds(counts);
    other.succeeds(counts);
  },
  fails(failure) {
    one.fails(failure);
    other.fails(failure);
  },
});

const bothLogins = (one: LoginWatch, other: LoginWatch): LoginWatch => ({
  ...bothRequests(one, other),
  succeeds(credentials) {
    one.succeeds(credentials);
    other.succeeds(credentials);
  },
  fails(failure) {
    one.fails(failure);
    other.fails(failure);
  },
});

const bothRequests = (one: RequestsWatch, other: RequestsWatch): RequestsWatch => ({
  request(request) {
    const [first, second] = [one.request(request), other.request(request)];
    return {
      headers: first.headers ?? second.headers,
      responds(status) {
        first.responds(status);
        second.responds(status);
      },
      ends(code) {
        first.ends(code);
        second.ends(code);
      },
    };
  },
});

const silent: RequestWatch = { responds() {}, ends() {} };
const request = (): RequestWatch => silent;
const silentPage: PageWatch = { request, commit: () => ({ ends() {} }), succeeds() {}, fails() {} };

/** For those who follow runs alone. */
export const silentJob: JobWatch = { request, job: () => silentJob, page: () => silentPage, ends() {} };
export const silentLogin: LoginWatch = { request, succeeds() {}, fails() {} };
