/** Opens the state of an extraction, and checks that its checkpoint is one of the same run. */
import { defer, finalize, from, ignoreElements, type Observable } from 'rxjs';
import { guaranteeOf } from '../../sinks/contract.js';
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import { namedSecrets } from '../checkpoint/named-secrets.js';
import { provenByName } from '../checkpoint/proven-pages.js';
import {
  openResumeSession,
  type ResumeSession,
  type ResumeSessionOptions,
  sharesOf,
  skipsOf,
} from '../checkpoint/resume-session.js';
import { assertSameRun, type FingerprintedRun } from '../checkpoint/run-identity.js';
import { createSecretReferences } from '../checkpoint/secret-refs.js';
import { type JobConfig, withChildren } from '../config/config.js';
import { deferred } from '../core/util/deferred.js';
import { defined } from '../core/util/defined.js';
import type { ReachedWalk, SeenPage } from '../incremental/run-memory.js';
import { isDivided } from '../job/partitions.js';
import { type StatsRecorder, wholeJobs } from './job-stats.js';
import type { RunContext } from './run-context.js';
import { onlyFailed } from './walk/failed-walks.js';

interface SessionOptions {
  readonly checkpoint: Checkpoint;
  readonly known: FingerprintedRun;
  readonly outputs: readonly { readonly dataType: string }[];
  readonly totals: StatsRecorder;
}

/** Throws ERR_RESUME if the checkpoint is that of another run. */
export function createResumeSession(
  context: RunContext,
  { checkpoint, known, outputs, totals }: SessionOptions,
): ResumeSession {
  const { secrets, notify, sink, sinks, weakened } = context;
  const sendsAgain = context.onChangedPage === 'again';
  const fingerprint = known.fingerprint();
  const [last] = checkpoint.earlier;
  const isOver = context.failedWalks !== undefined && last?.phase === 'done';
  if (!isOver) assertSameRun(checkpoint, fingerprint, known);
  const jobNames = withChildren<JobConfig>(context.jobs).map(({ name }) => name);
  const references = createSecretReferences(secrets, namedSecrets(known.written, known.filled));
  const outputNames = [...new Set(outputs.map(({ dataType }) => dataType))];
  const isLeft = last !== undefined && last.phase !== 'done';
  if (isLeft && sinks.some((each) => guaranteeOf(each) === 'at least once')) notify(atLeastOnce);
  for (const sink of last?.weakened ?? []) weakened.add(sink);
  if (last?.phase === 'done') {
    totals.resume(sharesOf(last, jobNames), skipsOf(last, jobNames));
    context.proofs?.restore(provenByName(last.proofs(), jobNames));
  }
  if (isOver) for (const name of jobNames) totals.bound(name, onlyFailed);
  const { remembered, again } = checkpoint;
  const isEmpty =
    Object.keys(remembered.jobs).length === 0 && remembered.pages === undefined && remembered.shapes === undefined;
  const begin = {
    run: context.runId,
    startedAt: known.startedAt,
    ...fingerprint,
    ...defined({ again, remembered: isEmpty ? undefined : remembered }),
  };
  const remember = (walks: readonly ReachedWalk[], pages: readonly SeenPage[]) => {
    const values = context.increments?.remember(walks.map(ofWhole(context, totals)));
    const next = context.revalidation?.remember(values ?? remembered, pages, wholeJobs(totals)) ?? values;
    return context.shapes?.remember(next ?? remembered) ?? next;
  };
  const names = { jobNames, laneNames: context.jobs.map(({ name }) => name), outputNames };
  const onBegin: ResumeSessionOptions['onBegin'] = (shares, skips, proofs) => {
    totals.resume(shares, skips);
    context.proofs?.restore(proofs);
  };
  const changes = { notify, sendsAgain, weakened };
  return openResumeSession({
    checkpoint,
    begin,
    remember,
    sink,
    sinks,
    references,
    secrets,
    ...changes,
    ...names,
    onBegin,
  });
}

/** The walks of a job that is divided have one value: a limit that has prevented one of them holds it back. */
function ofWhole({ jobs }: RunContext, totals: StatsRecorder): (walk: ReachedWalk) => ReachedWalk {
  const divided = new Set(
    withChildren<JobConfig>(jobs)
      .filter(isDivided)
      .map(({ name }) => name),
  );
  return (walk) => (divided.has(walk.job) && totals.isBounded(walk.job) ? { ...walk, isComplete: false } : walk);
}

const atLeastOnce = {
  level: 'warning',
  code: 'at-least-once',
  message: 'the output cannot be truncated to the checkpoint: items of the interrupted page may be written twice',
} as const;

/** The receipts of a run that is complete already: there are none. */
export function completedRun({ notify, failedWalks }: RunContext, session: ResumeSession | undefined) {
  const { promise: closed, resolve: settle } = deferred();
  const receipts: Observable<never> = defer(() => {
    const none = failedWalks === undefined ? 'the run is complete and published' : 'no request of the run has failed';
    const advice = 'Use --resume (in code `resume: true`) to start a new one';
    notify({ level: 'info', code: 'already-done', message: `${none}: nothing to do. ${advice}` });
    return from(session?.close() ?? []).pipe(ignoreElements(), finalize(settle));
  });
  return { receipts, closed };
}
