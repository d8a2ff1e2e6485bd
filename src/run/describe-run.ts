/** What a run that many processes share begins with: its first record and its top-level jobs, without a request. */
import { type BeginRecord, format } from '../checkpoint/records.js';
import { recoveriesOf } from '../checkpoint/restore.js';
import { fingerprintRun } from '../checkpoint/run-identity.js';
import type { TopJob } from '../checkpoint/seeds.js';
import { type JobConfig, withChildren } from '../config/config.js';
import { version } from '../core/util/version.js';
import { prepareRun } from './extract.js';
import type { ExtractOptions } from './options.js';

export interface RunStart {
  readonly begin: BeginRecord;
  readonly jobs: readonly TopJob[];
}

export type PreparedRun = ReturnType<typeof prepareRun>;

/** `check` throws if many processes cannot share the run. Throws as `extract`. */
export async function describeRun(
  configuration: object,
  options: ExtractOptions,
  check: (prepared: PreparedRun) => void = () => {},
): Promise<RunStart> {
  const prepared = prepareRun(configuration, options);
  const { context, jobs, known } = prepared;
  try {
    check(prepared);
    const all = withChildren<JobConfig>(context.jobs);
    const begin: BeginRecord = {
      type: 'begin',
      format,
      version,
      run: context.runId,
      epoch: 0,
      sinks: recoveriesOf(context.sinks),
      startedAt: known.startedAt,
      ...fingerprintRun(known, context.secrets),
    };
    return { begin, jobs: jobs.map((job) => ({ job: all.indexOf(job) })) };
  } finally {
    await context.release();
  }
}
