/** Schedules the walks of chosen jobs: one iteration after the other, and in each the jobs concurrently. */
import { concatMap, defer, EMPTY, finalize, from, mergeMap, type Observable } from 'rxjs';
import { inTurn } from '../../operators/in-turn.js';
import type { ResumeSession } from '../checkpoint/resume-session.js';
import type { JobConfig } from '../config/config.js';
import type { LimitOptions } from '../core/model/job-stats.js';
import type { Receipt } from '../core/model/page.js';
import type { StatsRecorder } from './job-stats.js';
import type { Iteration, RunContext } from './run-context.js';
import { createRunLimits } from './walk/run-limits.js';
import { walkJob } from './walk/walk.js';

/**
 * The receipts of these jobs; each subscription is a run with its own limits and turns. `contextOf`: the run context
 * for the jobs of an iteration.
 */
export type Scheduler = (
  chosen: readonly JobConfig[],
  contextOf: (iteration: Iteration) => RunContext,
) => Observable<Receipt>;

export interface SchedulerContext {
  readonly context: RunContext;
  readonly totals: StatsRecorder;
  readonly bounds: LimitOptions;
  /** The most requests in flight. */
  readonly concurrency: number;
  /** Pages and items of an earlier run count towards the limits. */
  readonly session: Pick<ResumeSession, 'shares'> | undefined;
}

export function createScheduler({ context, totals, bounds, concurrency, session }: SchedulerContext): Scheduler {
  const atOnce = concurrencyOf(context, concurrency);
  return (chosen, contextOf) =>
    defer(() => {
      const inBounds = createRunLimits(bounds, session?.shares());
      const numbers = new Map(context.jobs.map((job, number) => [job, number]));
      const numberOf = (job: JobConfig) => numbers.get(job) ?? 0;
      const shared = { totals, numberOf, atOnce, slot: inTurn(atOnce), budget: { kept: 0 }, bounds: inBounds };
      const walkAll = (iteration: Iteration, jobs: readonly JobConfig[]) => {
        const own = contextOf(iteration);
        // Its client is not made for walks that an earlier process has completed, or another one has.
        if (jobs.every(({ name }) => own.journal.walkOf(name) === 'done')) return EMPTY;
        const { client, release } = iteration.lease();
        const scope = { ...shared, context: own, client };
        return from(jobs).pipe(
          mergeMap((job) => walkJob(scope, job), atOnce),
          finalize(release),
        );
      };
      return from(context.iterations).pipe(
        concatMap((iteration) => {
          const jobs = iteration.jobs.filter((job) => chosen.includes(job));
          return jobs.length === 0 ? EMPTY : defer(() => walkAll(iteration, jobs));
        }),
      );
    });
}

/**
 * With a login before every request, requests take turns: more than one at a time would only wait.
 * docs/02-login.md#a-login-before-every-request.
 */
function concurrencyOf(context: RunContext, concurrency: number): number {
  if (concurrency === 1 || !context.isSequential) return concurrency;
  context.notify({
    level: 'warning',
    code: 'sequential-login',
    message:
      'expires is 0: each request needs its own login, so requests are sent one at a time and the concurrency is 1',
  });
  return 1;
}
