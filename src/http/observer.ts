/** What watches a run: metrics and traces. A run without observers does none of this. */
import type { Credentials } from '../auth/types.js';
import type { JobSummary } from '../core/model/job-stats.js';
import { listeningTogether, type OnActivity } from '../page/progress.js';

/** The option `observe`: makes an observer for each extraction. */
export interface Observe {
  /** For rxtract alone. `mask` hides the secrets of the run in names. */
  observer(mask: (text: string) => string): RunObserver;
}

/** Methods must be fast and must not throw. */
export interface RunObserver {
  /** Called with what each page waits for. */
  readonly onActivity: OnActivity;
  /** A run of jobs begins. Runs of one extraction may overlap. */
  begin(run: RunTotals): void;
  /** It has ended; undefined: with success. */
  end(failure: unknown): void;
  /** A request is sent: for a page or a login, each attempt and each redirect. */
  request(request: ObservedRequest): RequestWatch;
  /** A login of the API begins. */
  login(api: ServerAddress): LoginWatch;
  /** What the run remembers of its jobs: before its begin, and after its end. */
  remembers(values: readonly RememberedMoment[]): void;
}

export interface RunTotals {
  /** The totals of all jobs, now; those of an earlier process count before the begin. */
  jobs(): readonly JobSummary[];
}

/** The host of an API; port 0: not known. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ObservedRequest {
  readonly method: string;
  readonly server: ServerAddress;
  /** Absent: a login. */
  readonly job?: string;
}

export interface RequestWatch {
  /** The head of the response has arrived. */
  responds(status: number): void;
  /** All of it has arrived, or no more is read. `code`: it failed, with this code. */
  ends(code?: string): void;
}

export interface LoginWatch {
  succeeds(credentials: Pick<Credentials, 'expiresAt'>): void;
  fails(code: string): void;
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

const joined = (one: RunObserver, other: RunObserver): RunObserver => ({
  onActivity: listeningTogether([one.onActivity, other.onActivity]),
  begin(run) {
    one.begin(run);
    other.begin(run);
  },
  end(failure) {
    one.end(failure);
    other.end(failure);
  },
  request(request) {
    const [first, second] = [one.request(request), other.request(request)];
    return {
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
  login(api) {
    const [first, second] = [one.login(api), other.login(api)];
    return {
      succeeds(credentials) {
        first.succeeds(credentials);
        second.succeeds(credentials);
      },
      fails(code) {
        first.fails(code);
        second.fails(code);
      },
    };
  },
  remembers(values) {
    one.remembers(values);
    other.remembers(values);
  },
});
