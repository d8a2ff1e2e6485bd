/** Finds outputs that a run replaces although it asks only for what is new: what the runs before had is not in them. */
import type { JobConfig } from '../../config/config.js';
import { usageError } from '../../core/util/check-value.js';
import type { CompleteOptions } from '../options.js';
import type { RunContext } from '../run-context.js';
import type { JobOutput } from './output-names.js';

interface ReplacedOutputs
  extends Pick<RunContext, 'sinks' | 'notify' | 'isDataFolder'>,
    Pick<CompleteOptions, 'full' | 'allow'> {
  readonly outputs: readonly Pick<JobOutput, 'name' | 'dataType'>[];
}

/**
 * Gives the warning `only-new` for each job with `incremental`. Throws ERR_USAGE for one with `revalidate`, unless that
 * warning is allowed. A data folder is read after each run.
 */
export function warnOfReplaced(
  jobs: readonly Pick<JobConfig, 'name' | 'incremental' | 'revalidate'>[],
  { sinks, notify, isDataFolder, outputs, full = false, allow = [] }: ReplacedOutputs,
): void {
  if (isDataFolder || full) return;
  for (const { name: job, incremental, revalidate } of jobs) {
    const output = outputs.find(({ name }) => name === job);
    if (output === undefined || (incremental === undefined && revalidate !== true)) continue;
    for (const [index, sink] of sinks.entries()) {
      if (sink.replacesOutput?.(output.dataType) !== true) continue;
      const { name = `sink ${index + 1}` } = sink;
      if (revalidate === true && !allow.includes('only-new')) throw usageError(wouldLose(job, name));
      notify({ level: 'warning', code: 'only-new', message: onlyNew(name), job, subject: name });
    }
  }
}

const wouldLose = (job: string, sink: string): string =>
  `job "${job}" has \`revalidate\`, and "${sink}" replaces the output of the run before: the items of pages that have not changed would be gone. Use a sink that adds to it, such as one with mode=append or mode=merge, or --allow only-new for outputs that are taken away after each run`;

const onlyNew = (sink: string): string =>
  `"${sink}" replaces the output of the run before, and the job asks only for what is new since then: earlier items are not in it. Use a sink that adds to it, such as one with mode=append or mode=merge`;
