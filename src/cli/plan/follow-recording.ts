/** Follows a recording: the requests that a run sends, with the sources of their values, without a connection. */
import type { ExactObject } from '../../core/json/exact.js';
import type { Receipt } from '../../core/model/page.js';
import type { ExplainedRequest } from '../../http/explain-request.js';
import { watchExchanges } from '../../http/recording/watch.js';
import type { ParsedArguments } from '../arguments.js';
import type { CommandResult } from '../command.js';
import { executeRun } from '../execute-run.js';
import { type OpenExchanges, replayEnvironment } from '../open-exchanges.js';
import type { Report } from '../report.js';
import type { RunEngine } from '../run-jobs.js';
import type { Shell } from '../shell.js';

/** A page of a replay. */
export interface FollowedPage {
  readonly job: string;
  /** From 1. */
  readonly page: number;
  readonly request: ExplainedRequest;
  readonly status?: number;
  readonly items: number;
  /** Why the job ends after it; absent: it goes on. */
  readonly stop?: string;
}

export interface Followed {
  readonly pages: readonly FollowedPage[];
  readonly result: CommandResult;
}

interface FollowContext {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  readonly extract: RunEngine['extract'];
}

/** Replays the run. Its failure, such as a request that was not recorded, is in the result. */
export async function followRecording(
  content: ExactObject,
  open: () => Promise<OpenExchanges>,
  { args, shell, report, extract }: FollowContext,
): Promise<Followed> {
  const { exchanges, close } = await open();
  const watch = watchExchanges(exchanges);
  const pages: FollowedPage[] = [];
  try {
    const { env, notices } = replayEnvironment(content, shell.env);
    for (const notice of notices) report.notice(notice);
    const jobs = args.list('job');
    const allow = args.list('allow');
    const extraction = extract(content, {
      ...{ env, allow, exchanges: watch, notify: report.notice, strict: args.has('strict') },
      ...(jobs.length === 0 ? {} : { jobs }),
    });
    report.maskWith(extraction.mask);
    const page = ({ job, index, count, stop }: Receipt) => {
      const watched = watch.pageOf(job);
      if (watched === undefined) return;
      const { request, head } = watched;
      const known = { job: extraction.mask(job), page: index + 1, request, items: count };
      const status = head === undefined ? {} : { status: head.status };
      pages.push({ ...known, ...status, ...(stop === undefined ? {} : { stop: extraction.mask(stop) }) });
    };
    const outcome = await executeRun(extraction, { page, notify: report.notice }, shell);
    return { pages, result: { ...outcome, summary: { jobs: [], outputs: [] } } };
  } finally {
    for (const notice of await close()) report.notice(notice);
  }
}
