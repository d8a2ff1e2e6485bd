/** Judges the outputs at the end of a run, before they are published: which have too few items, and which stay. */
import type { Closing, Sink } from '../../../sinks/contract.js';
import { holdsLetters, type RefusedOf } from '../../../sinks/decorators/dead-letters.js';
import { inSink } from '../../../sinks/errors.js';
import type { JobConfig } from '../../config/config.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import { defined } from '../../core/util/defined.js';
import { type StatsRecorder, wholeJobs } from '../job-stats.js';
import type { RunContext } from '../run-context.js';
import type { LeastItems } from './min-items.js';

export interface Judging extends Pick<RunContext, 'sink' | 'sinks' | 'notify'> {
  /** The opened outputs, with the name of each job. */
  readonly outputs: readonly { readonly name: string; readonly dataType: string }[];
  readonly totals: Pick<StatsRecorder, 'answerTo' | 'hasFailed' | 'isBounded' | 'jobs' | 'missingPlace'>;
  readonly refusedOf: RefusedOf;
  /** All jobs of the configuration, also those that the run does not ask. */
  readonly configured: readonly Pick<JobConfig, 'name' | 'dataType' | 'incremental'>[];
  /** Earlier processes of the run may have left out items that a sink has refused. */
  readonly mayLackRefused: boolean;
  readonly leastItems: LeastItems;
  /** Jobs with `incremental` ask for everything. */
  readonly isFull: boolean;
  /** What becomes of an earlier output for which no page had a place for items. `silently`: of any without items. */
  readonly unanswered: 'keep' | 'replace' | 'replace silently';
  /** An interrupted publication goes on: the earlier outputs that stay. */
  readonly kept: ReadonlySet<string> | undefined;
}

/**
 * Returns the complete outputs, and the earlier ones that stay, with the warning `not-replaced`; one that loses all of
 * its items has the warning `emptied`. Throws ERR_MIN_ITEMS, what `notify` throws under `strict`, and ERR_SINK if the
 * sink cannot name them. See docs/07-sinks.md#an-earlier-output.
 */
export async function judgeOutputs(judging: Judging): Promise<Closing> {
  const outputs = outputsIn(judging);
  if (judging.kept === undefined) mustHaveEnough(outputs, judging);
  const keep = new Set<string>();
  for (const output of outputs) {
    const { dataType } = output;
    const stays = judging.kept === undefined ? isUnanswered(output, judging) : judging.kept.has(dataType);
    if (stays && (await hasEarlier(output, judging))) keep.add(dataType);
    if (!stays && judging.kept === undefined) await warnOfEmptied(output, judging);
  }
  return {
    keep,
    complete: new Set(outputs.filter((output) => isComplete(output, judging)).map((each) => each.dataType)),
  };
}

/** A data type as sinks know it, with its jobs. */
interface Output {
  readonly dataType: string;
  readonly jobs: readonly JobSummary[];
  /** Items that sinks have accepted in this run, those of processes before a resume included. */
  readonly items: number;
}

function outputsIn({ outputs, totals }: Judging): readonly Output[] {
  const summaries = new Map(totals.jobs().map((job) => [job.job, job]));
  const jobs = new Map<string, readonly JobSummary[]>();
  for (const { name, dataType } of outputs) {
    const summary = summaries.get(name);
    if (summary !== undefined) jobs.set(dataType, [...(jobs.get(dataType) ?? []), summary]);
  }
  return [...jobs].map(([dataType, own]) => ({
    dataType,
    jobs: own,
    items: own.reduce((sum, { items }) => sum + items, 0),
  }));
}

/** Throws ERR_MIN_ITEMS with all outputs that have fewer items than required. */
function mustHaveEnough(outputs: readonly Output[], judging: Judging): void {
  const problems = outputs.flatMap(({ dataType, jobs, items }) => {
    const least = judging.leastItems(jobs[0]?.dataType ?? dataType);
    const most = Math.max(0, ...mainSinks(judging).map(({ number }) => judging.refusedOf(number, dataType)));
    if (items - most >= least) return [];
    const refused = most === 0 ? '' : `, of which ${most} were refused`;
    const message = `"${dataType}" has ${counted(items)} in this run${refused}: at least ${least} are required (--min-items, in code \`minItems\`)`;
    return [{ path: dataType, message, jobs }];
  });
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  throw new ExtractError('ERR_MIN_ITEMS', `${first.message}${more}`, {
    ...ofOneJob(problems.length === 1 ? first.jobs : []),
    problems: problems.map(({ path, message }) => ({ path, message })),
  });
}

const counted = (items: number): string => `${items} item${items === 1 ? '' : 's'}`;

/** The sinks of items, without that of dead letters. */
const mainSinks = ({ sinks }: Pick<Judging, 'sinks'>): readonly { readonly sink: Sink; readonly number: number }[] =>
  sinks.map((sink, number) => ({ sink, number })).filter(({ sink }) => !holdsLetters(sink));

/**
 * No page says that there are no items: one said that its request failed, none had a place for items, or a limit has
 * prevented all requests. A failure is never the answer, whatever replaces the output otherwise.
 */
function isUnanswered({ jobs, items }: Output, { unanswered, totals }: Judging): boolean {
  if (items > 0) return false;
  if (jobs.some(({ job }) => totals.hasFailed(job))) return true;
  if (unanswered !== 'keep') return false;
  const answers = jobs.map(({ job }) => totals.answerTo(job));
  return !answers.includes('list') && !answers.every((answer) => answer === 'no rows');
}

/**
 * All jobs of the data type have ended by themselves, and those above them; none asks only for what is new, or leaves
 * out what is newest, no page says that it failed or is unchanged, and no sink has refused an item.
 */
function isComplete({ dataType, jobs }: Output, judging: Judging): boolean {
  const { totals, configured, refusedOf, mayLackRefused, isFull } = judging;
  if (mayLackRefused || mainSinks(judging).some(({ number }) => refusedOf(number, dataType) > 0)) return false;
  const whole = wholeJobs(totals);
  const ofType = configured.filter((each) => jobs.some((job) => job.dataType === each.dataType));
  const isAsked = ({ name, incremental }: Judging['configured'][number]) =>
    (incremental === undefined || (isFull && incremental.lag === undefined)) && jobs.some((job) => job.job === name);
  return ofType.every(isAsked) && jobs.every(({ job, unchanged }) => whole.has(job) && unchanged === undefined);
}

/** Warns of each earlier output of the data type: it is not replaced. */
async function hasEarlier({ dataType, jobs }: Output, { sink, notify, totals }: Judging): Promise<boolean> {
  const names = await publishedBy(sink, dataType);
  const reason = reasonToKeep(jobs, totals);
  for (const name of names) notify({ ...notReplaced(name, reason), ...ofOneJob(jobs) });
  return names.length > 0;
}

/** Warns of each earlier output of the data type that a sink without items replaces. */
async function warnOfEmptied(output: Output, judging: Judging): Promise<void> {
  if (judging.unanswered === 'replace silently') return;
  const { dataType, jobs, items } = output;
  const isWhole = isComplete(output, judging);
  for (const { sink, number } of mainSinks(judging)) {
    if (items - judging.refusedOf(number, dataType) > 0) continue;
    if (!isWhole && sink.replacesOutput?.(dataType) === false) continue;
    for (const name of await publishedBy(sink, dataType))
      judging.notify({ ...emptied(name, items), ...ofOneJob(jobs) });
  }
}

const publishedBy = (sink: Sink, dataType: string) => inSink(async () => (await sink.published?.(dataType)) ?? []);

const ofOneJob = ([only, ...others]: readonly JobSummary[]) =>
  defined({ job: others.length === 0 ? only?.job : undefined });

const replaced = 'with --replace-empty (in code `replaceEmpty`)';

function reasonToKeep(jobs: readonly JobSummary[], totals: Judging['totals']): string {
  if (jobs.some(({ job }) => totals.hasFailed(job))) {
    return 'this one has none, and a response said that it failed. If it did not, end the job there with a rule of `responseRules`';
  }
  if (jobs.some(({ job }) => totals.missingPlace(job)?.code === 'no-data'))
    return `no response of this one has the element \`response.element\`. If that is a usual answer, replace it ${replaced}`;
  return jobs.some(({ job }) => totals.answerTo(job) === 'nothing')
    ? `this one found no place for items, not even an empty list. If the API omits empty lists, replace it ${replaced}`
    : `a limit of this one was reached before the first request. Replace it ${replaced}`;
}

function notReplaced(name: string, reason: string) {
  const message = `"${name}" keeps the items of an earlier run: ${reason}`;
  return { level: 'warning', code: 'not-replaced', message, subject: name } as const;
}

function emptied(name: string, items: number) {
  const reason = items === 0 ? 'this run has none' : 'the sink has refused all items of this run';
  const message = `"${name}" loses the items of an earlier run: ${reason}`;
  return { level: 'warning', code: 'emptied', message, subject: name } as const;
}
