/** What a run takes and writes, for those who watch it. */
import { type JobConfig, withChildren } from '../config/config.js';
import type { JobSummary } from '../core/model/job-stats.js';
import { resolveUrl } from '../core/url/url.js';
import type { RunDescription } from '../http/observer.js';
import type { RunContext } from './run-context.js';

/** `jobs`: those that the run has chosen, and their children. */
export function descriptionOf(
  { iterations, sinks, sample }: Pick<RunContext, 'iterations' | 'sinks' | 'sample'>,
  jobs: readonly JobSummary[],
): RunDescription {
  const chosen = new Set(jobs.map(({ job }) => job));
  const inputs = iterations.flatMap(({ address, jobs }) =>
    withChildren<JobConfig>(jobs)
      .filter(({ name }) => chosen.has(name))
      .map(({ endpoint, report }) => addressOf(address, report?.create.endpoint ?? endpoint)),
  );
  return {
    inputs: [...new Set(inputs)],
    outputs: () =>
      sinks.flatMap((sink) => (sink.summary?.() ?? []).map((each) => ({ ...each, sink: sink.name ?? '' }))),
    shapes: () => new Map(sample?.shapes()),
  };
}

/** Without its query; braces of placeholders stay, and so does what is no address: its requests fail. */
function addressOf(baseUrl: string, endpoint: string): string {
  try {
    return resolveUrl(baseUrl, endpoint).replace(/\?.*/s, '').replaceAll('%7B', '{').replaceAll('%7D', '}');
  } catch {
    return endpoint;
  }
}
