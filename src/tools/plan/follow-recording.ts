/** Follows a recording: the requests that a run sends, with the sources of their values, without a connection. */

import type { CommandResult } from '../../cli/command.js';
import { type WatchContext, type WatchedRun, watchRun } from '../../cli/watch-run.js';
import type { ExplainedRequest } from '../../http/explain-request.js';

/** A page of a replay. */
export interface FollowedPage {
  readonly job: string;
  /** From 1. */
  readonly page: number;
  readonly request: ExplainedRequest;
  readonly status: number;
  readonly items: number;
  /** Why the job ends after it; absent: it goes on. */
  readonly stop?: string;
}

export interface Followed {
  readonly pages: readonly FollowedPage[];
  readonly result: CommandResult;
}

/** Replays the run. Its failure, such as a request that was not recorded, is in the result. */
export async function followRecording(
  run: Pick<WatchedRun, 'label' | 'content' | 'open'>,
  context: WatchContext,
): Promise<Followed> {
  const pages: FollowedPage[] = [];
  const page: WatchedRun['page'] = ({ job, index, count, stop }, { request, head }, mask) => {
    const known = { job: mask(job), page: index + 1, request, items: count, status: head.status };
    pages.push({ ...known, ...(stop === undefined ? {} : { stop: mask(stop) }) });
  };
  const result = await watchRun({ ...run, options: {}, page }, context);
  return { pages, result };
}
