/** Follows a recording: the requests that a run sends, with the sources of their values, without a connection. */
import type { ExactObject } from '../../core/json/exact.js';
import { defined } from '../../core/util/defined.js';
import type { ExplainedRequest } from '../../http/explain-request.js';
import type { ExtractOptions } from '../../run/options.js';
import { type WatchedRun, watchRun } from '../../run/watch-run.js';

/** A page of a replay: plain data, secrets masked. */
export interface FollowedPage {
  readonly job: string;
  /** From 1. */
  readonly page: number;
  readonly request: ExplainedRequest;
  readonly status: number;
  readonly items: number;
  /** Why the job ends after it; absent: another page follows. */
  readonly stop?: string;
}

/** Replays the run of `exchanges`. It fails with ERR_REPLAY for a request that was not recorded. */
export const followRecording = (configuration: ExactObject, options: ExtractOptions): WatchedRun<FollowedPage> =>
  watchRun(configuration, options, ({ job, index, count, stop }, { request, head }, mask) => {
    const known = { job: mask(job), page: index + 1, request, items: count, status: head.status };
    return { ...known, ...defined({ stop: stop === undefined ? undefined : mask(stop) }) };
  });
