/** Decides at the end of a run which earlier outputs stay: those for which no page had a place for items. */

import type { Closing, Sink } from '../../sinks/contract.js';
import { inSink } from '../../sinks/errors.js';
import type { Notify } from '../core/model/notice.js';
import type { StatsRecorder } from './job-stats.js';

export interface KeepingEarlier {
  /** Names earlier outputs. */
  readonly sink: Pick<Sink, 'published'>;
  /** The opened outputs, with the name of each job. */
  readonly outputs: readonly { readonly name: string; readonly dataType: string }[];
  readonly totals: Pick<StatsRecorder, 'hasFound'>;
  readonly notify: Notify;
}

/**
 * Returns the earlier outputs that stay, and warns of each with `not-replaced`. Throws what `notify` throws under
 * `strict`, and ERR_SINK if the sink cannot name them. See docs/04-sinks.md#an-earlier-output.
 */
export async function keepEarlier({ sink, outputs, totals, notify }: KeepingEarlier): Promise<Closing> {
  const keep = new Set<string>();
  for (const [dataType, jobs] of jobsByOutput(outputs)) {
    const found = jobs.map(totals.hasFound);
    if (found.includes(true) || !found.includes(false)) continue;
    const names = await inSink(() => sink.published?.(dataType) ?? []);
    for (const name of names) notify(notReplaced(name, jobs));
    if (names.length > 0) keep.add(dataType);
  }
  return { keep };
}

function jobsByOutput(outputs: KeepingEarlier['outputs']): ReadonlyMap<string, readonly string[]> {
  const jobs = new Map<string, readonly string[]>();
  for (const { name, dataType } of outputs) jobs.set(dataType, [...(jobs.get(dataType) ?? []), name]);
  return jobs;
}

function notReplaced(name: string, [job, ...others]: readonly string[]) {
  return {
    level: 'warning',
    code: 'not-replaced',
    message: `"${name}" keeps the items of an earlier run: no page of this run had a value at the path of the items (\`dataField\`), not even an empty list. If the API omits empty lists, replace it with --replace-empty (in code \`replaceEmpty\`)`,
    subject: name,
    ...(job === undefined || others.length > 0 ? {} : { job }),
  } as const;
}
