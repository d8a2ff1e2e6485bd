/** What a run that many processes share begins with: its first record and its top-level jobs, without a request. */
import { type BeginRecord, format } from '../checkpoint/records.js';
import { recoveriesOf } from '../checkpoint/restore.js';
import { fingerprintRun } from '../checkpoint/run-identity.js';
import type { TopJob } from '../checkpoint/seeds.js';
import { type JobConfig, withChildren } from '../config/config.js';
import { usageError } from '../core/util/check-value.js';
import { version } from '../core/util/version.js';
import { prepareRun } from './extract.js';
import type { ExtractOptions } from './options.js';

export interface RunStart {
  readonly begin: BeginRecord;
  readonly jobs: readonly TopJob[];
}

/** Throws as `extract`, and ERR_USAGE for a sink that many processes cannot share. */
export async function describeRun(configuration: object, options: ExtractOptions): Promise<RunStart> {
  const { context, jobs, known } = prepareRun(configuration, options);
  try {
    const alone = context.sinks.find((sink) => sink.leave === undefined);
    if (alone !== undefined) {
      throw usageError(`${alone.name ?? 'the sink'} cannot be shared: many processes would write to it at once`);
    }
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
    return { begin, jobs: jobs.map((job) => ({ job: all.indexOf(job), children: job.children.length })) };
  } finally {
    await context.release();
  }
}
