/** What a run that many processes share begins with: its first record and its top-level jobs, without a request. */
import { type BeginRecord, format } from '../checkpoint/records.js';
import { recoveriesOf } from '../checkpoint/restore.js';
import type { RunOfTasks, TopJob } from '../checkpoint/seeds.js';
import { type JobConfig, withChildren } from '../config/config.js';
import { defined } from '../core/util/defined.js';
import { version } from '../core/util/version.js';
import type { RunMemory } from '../incremental/run-memory.js';
import { noBindings } from '../job/instances.js';
import { isDivided } from '../job/partitions.js';
import { prepareRun } from './extract.js';
import type { ExtractOptions } from './options.js';
import { partsOf } from './walk/partition-walks.js';

export type RunStart = RunOfTasks;

export type PreparedRun = ReturnType<typeof prepareRun>;

export interface DescribeOptions {
  /** What is remembered of earlier runs. Absent: the run has no state. */
  readonly remembered?: RunMemory | undefined;
  /** Throws if many processes cannot share the run. */
  readonly check?: (prepared: PreparedRun) => void;
}

/** Throws as `extract`, and `check`. */
export async function describeRun(
  configuration: object,
  options: ExtractOptions,
  { remembered, check = () => {} }: DescribeOptions = {},
): Promise<RunStart> {
  const prepared = prepareRun(configuration, options, remembered);
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
      ...known.fingerprint(),
      ...defined({ remembered }),
    };
    const parts = countParts(prepared);
    return { begin, jobs: jobs.map((job) => ({ job: all.indexOf(job), ...defined({ parts: parts.get(job) }) })) };
  } finally {
    await context.release();
  }
}

/** The parts of the jobs that are divided. */
function countParts({ context, jobs, known }: PreparedRun): ReadonlyMap<JobConfig, NonNullable<TopJob['parts']>> {
  const counts = new Map<JobConfig, NonNullable<TopJob['parts']>>();
  for (const iteration of context.iterations) {
    const divided = iteration.jobs.filter((job) => jobs.includes(job) && isDivided(job));
    if (divided.length === 0) continue;
    const { client, release } = iteration.lease();
    for (const config of divided) {
      const { parts } = partsOf({ client, context }, { config, instance: noBindings }, known.startedAt);
      let count = 0;
      for (const _ of parts) count += 1;
      counts.set(config, { child: config.children.length, count });
    }
    release();
  }
  return counts;
}
