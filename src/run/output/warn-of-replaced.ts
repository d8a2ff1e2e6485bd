/** Warns where a run that asks only for what is new replaces an output: what the runs before had is not in it. */
import type { JobConfig } from '../../config/config.js';
import type { RunContext } from '../run-context.js';
import type { JobOutput } from './output-names.js';

interface ReplacedOutputs extends Pick<RunContext, 'sinks' | 'notify' | 'isDataFolder'> {
  readonly outputs: readonly Pick<JobOutput, 'name' | 'dataType'>[];
  /** The run asks for everything. */
  readonly isFull: boolean;
}

/** Gives the warning `only-new` for each job with `incremental`. A data folder is read after each run. */
export function warnOfReplaced(
  jobs: readonly Pick<JobConfig, 'name' | 'incremental'>[],
  { sinks, notify, isDataFolder, outputs, isFull }: ReplacedOutputs,
): void {
  if (isDataFolder || isFull) return;
  for (const { name: job, incremental } of jobs) {
    const output = outputs.find(({ name }) => name === job);
    if (incremental === undefined || output === undefined) continue;
    for (const [index, sink] of sinks.entries()) {
      if (sink.replacesOutput?.(output.dataType) !== true) continue;
      const { name = `sink ${index + 1}` } = sink;
      notify({ level: 'warning', code: 'only-new', message: onlyNew(name), job, subject: name });
    }
  }
}

const onlyNew = (sink: string): string =>
  `"${sink}" replaces the output of the run before, and the job asks only for what is new since then: earlier items are not in it. Use a sink that adds to it, such as one with mode=append or mode=merge`;
