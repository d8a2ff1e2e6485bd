/** What a shared run that is done has come to, as its processes have recorded it. */
import type { SinkOutput } from '../../../sinks/contract.js';
import type { Board, RunSpec } from '../../checkpoint/board/board.js';
import { publishing } from '../../checkpoint/board/leased-store.js';
import { openCheckpoint } from '../../checkpoint/checkpoint.js';
import type { Configuration } from '../../config/configuration.js';
import type { ExpectedConfiguration } from '../../config/expected-configuration.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import { extract } from '../extract.js';
import type { Summary } from '../job-stats.js';
import type { ExtractOptions } from '../options.js';

/** Reads the journal of the task that has published. */
export async function summaryOfDone<Given = Configuration>(
  board: Board,
  spec: RunSpec,
  configuration: ExpectedConfiguration<Given>,
  options: ExtractOptions,
): Promise<Summary> {
  // It only reads: this lease was never given, so each write of it is refused.
  const store = board.open({ run: spec.name, task: publishing, epoch: 0 }, spec);
  const checkpoint = await openCheckpoint(store, { resume: 'only' });
  try {
    const known = { ...options, notify: () => {}, checkpoint };
    const summary = extract<unknown, Given>(configuration, known).summary();
    return { ...summary, ran: true, outputs: summary.outputs.map((output) => ofAllProcesses(output, summary)) };
  } finally {
    await checkpoint.close();
  }
}

/** The process that has published an output may have written none of its items. */
function ofAllProcesses(output: SinkOutput, { jobs }: Summary): SinkOutput {
  const own = jobs.filter(({ dataType }) => dataType === output.dataType);
  const sum = (of: (job: JobSummary) => number) => own.reduce((total, job) => total + of(job), 0);
  return output.items > 0 ? output : { ...output, items: sum(({ items }) => items), bytes: sum(({ bytes }) => bytes) };
}
