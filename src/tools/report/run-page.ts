/** The page of `rxtract run --report`. */
import type { ExtractError } from '../../core/errors/errors.js';
import type { Notice } from '../../core/model/notice.js';
import type { Secrets } from '../../core/model/secrets.js';
import type { Summary } from '../../run/job-stats.js';
import { machineText } from '../bench/compare.js';
import { figureTexts } from '../bench/figures.js';
import type { MachineFacts } from '../bench/machine.js';
import { phaseLines } from '../bench/reading.js';
import type { RunRecord } from '../bench/record-run.js';
import { guaranteeLines, noteLines } from '../log/report-text.js';
import { describeError, placed } from '../text/errors.js';
import { clock, counted, grouped, size } from '../text/format.js';
import { printable } from '../text/lines.js';
import { card, cards, escaped, htmlPage, numberTable, tableRow } from './html.js';
import { latencySection, timeSection } from './page-sections.js';
import { plotsOf } from './plot-data.js';

export interface RunFacts {
  /** The name of the configuration. */
  readonly label: string;
  /** Those that may be shown, as they were given. */
  readonly options: Readonly<Record<string, string>>;
  readonly machine: MachineFacts;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly record: RunRecord;
  readonly notices: readonly Notice[];
  /** How many more there were. */
  readonly moreNotices: number;
  readonly summary: Summary;
  readonly error: ExtractError | undefined;
  readonly remedy: string;
  readonly signal: string | undefined;
}

type Clean = (text: string) => string;

/** Returns the HTML. All texts are masked. */
export function runPage(facts: RunFacts, mask: Secrets['mask']): Promise<string> {
  const clean = (text: string) => printable(text, mask);
  const { record, summary } = facts;
  const { firstByte, body, total } = record.latencies;
  const latency = { firstByte: firstByte.percentiles(), body: body.percentiles(), total: total.percentiles() };
  const distribution = { firstByte: firstByte.buckets(), body: body.buckets(), total: total.buckets() };
  return htmlPage({
    title: `Run of ${clean(facts.label)}`,
    sections: [
      header(facts, clean),
      outcome(facts, clean),
      figureCards(facts),
      jobSection(summary, clean),
      outputSection(facts, clean),
      oddSection(facts, clean),
      originSection(record, clean),
      timeSection(record.shares, phaseLines(record.shares, facts.options)),
      ...(latency.firstByte.count === 0 ? [] : [latencySection(latency, record.eventLoopDelay)]),
      overTime,
    ],
    plots: plotsOf(distribution, [record.timeline]),
  });
}

function header({ startedAt, record, machine, options }: RunFacts, clean: Clean): string {
  const given = Object.entries(options).map(([name, value]) => `--${name}${value === '' ? '' : ` ${clean(value)}`}`);
  const chosen = given.length === 0 ? '' : ` Options: ${given.join(' ')}.`;
  const text = `Began at ${startedAt}, took ${clock(record.seconds * 1000)}.${chosen} ${machineText({ machine })}.`;
  return `<p class="soft">${escaped(text)}</p>`;
}

function outcome({ error, remedy, signal, summary }: RunFacts, clean: Clean): string {
  if (signal !== undefined) return verdict('interrupted', `by ${signal}`, []);
  if (error !== undefined) {
    const [first = '', ...rest] = describeError(error).map(clean);
    return verdict('failed', first, [...rest, clean(remedy)]);
  }
  const bounded = summary.jobs.filter((job) => job.bounded === true).map(({ job }) => clean(job));
  if (bounded.length > 0) return verdict('ended by a limit', `items may be missing: ${bounded.join(', ')}`, []);
  return verdict('complete', 'all jobs have ended, and their output is published', []);
}

function verdict(
  word: 'complete' | 'failed' | 'interrupted' | 'ended by a limit',
  text: string,
  more: readonly string[],
) {
  const name = word === 'complete' ? 'better' : 'worse';
  const lines = more.map((line) => `<br>${escaped(line)}`).join('');
  return `<p class="card"><span class="${name}">${word}</span>: ${escaped(text)}${lines}</p>`;
}

function figureCards({ record, summary }: RunFacts): string {
  const sum = (name: 'items' | 'pages' | 'requests' | 'retries') =>
    summary.jobs.reduce((total, job) => total + job[name], 0);
  const { seconds, peakMemoryBytes, cpuSeconds, reading } = record;
  const perSecond = (value: number) => figureTexts.itemsPerSecond.show(value / seconds);
  return cards([
    card('items', grouped(sum('items')), `${perSecond(sum('items'))} a second`),
    card('pages', grouped(sum('pages')), `${perSecond(sum('pages'))} a second`),
    card('requests', grouped(sum('requests')), `of them ${counted(sum('retries'), 'retry', 'retries')}`),
    card(
      'bodies',
      size(reading.received),
      `${figureTexts.bytesPerSecond.show(reading.received / seconds)} MB/s, decoded`,
    ),
    card('time', clock(seconds * 1000), `${figureTexts.cpuSeconds.show(cpuSeconds)} of CPU`),
    card('peak memory', size(peakMemoryBytes), 'resident'),
  ]);
}

function jobSection({ jobs }: Summary, clean: Clean): string {
  const some = (['cached', 'unchanged', 'skipped'] as const).filter((name) =>
    jobs.some((job) => job[name] !== undefined),
  );
  const counts = ['items', 'pages', 'requests', 'retries', ...some] as const;
  const hasChildren = jobs.some(({ parent }) => parent !== undefined);
  const names = hasChildren ? ['job', 'for each item of'] : ['job'];
  const texts = new Set([...(hasChildren ? [1] : []), names.length + counts.length + 1]);
  const rows = jobs.map(({ job, parent = '', bytes, stop, ...counted }) => {
    const numbers = counts.map((name) => grouped(counted[name] ?? 0));
    return tableRow([...[job, parent].slice(0, names.length).map(clean), ...numbers, size(bytes), clean(stop)], texts);
  });
  return `<h2>What came</h2>
${numberTable([...names, ...counts, 'bytes', 'stopped because'], rows, texts)}`;
}

function outputSection({ summary, error }: RunFacts, clean: Clean): string {
  if (summary.outputs.length === 0) return '';
  const texts = new Set([1, 2]);
  const rows = summary.outputs.map(({ dataType, name, items, bytes, size: own = bytes, kept, unfinished }) => {
    const state = kept === true ? 'of an earlier run' : unfinished === true ? 'not published' : 'published';
    return tableRow([clean(dataType), clean(name), state, grouped(items), size(own)], texts);
  });
  const promise = guaranteeLines(summary, error === undefined ? 0 : 1, clean).filter((line) => line !== '');
  return `<h2>Where it is</h2>
${numberTable(['data type', 'output', '', 'items', 'size'], rows, texts)}
${promise.map((line) => `<p>${escaped(line)}</p>`).join('\n')}`;
}

/** Warnings, what was left out, and how items differ. */
function oddSection({ notices, moreNotices, summary }: RunFacts, clean: Clean): string {
  const ofLevel = (level: Notice['level']) =>
    notices
      .filter((notice) => notice.level === level)
      .map(
        (notice) => `<tr><td class="name">${escaped(notice.code)}</td><td>${escaped(clean(placed(notice)))}</td></tr>`,
      );
  const [warnings, others] = [ofLevel('warning'), ofLevel('info')];
  const lines = noteLines(summary, clean).join('\n').trim();
  const more =
    moreNotices === 0
      ? ''
      : `<p>${counted(moreNotices, 'more message')} ${moreNotices === 1 ? 'is' : 'are'} not listed.</p>`;
  const none = warnings.length === 0 && lines === '' ? '<p>Nothing: no warning, and nothing was left out.</p>' : '';
  return `<h2>What was odd</h2>
${none}${noticeTable('warning', warnings)}${lines === '' ? '' : `<pre>${escaped(lines)}</pre>`}${noticeTable('message', others)}${more}`;
}

const noticeTable = (head: string, rows: readonly string[]): string =>
  rows.length === 0 ? '' : `<div class="wide"><table><tr><th>${head}</th><th></th></tr>${rows.join('')}</table></div>`;

function originSection({ answers }: RunRecord, clean: Clean): string {
  const rows = [...answers].flatMap(([origin, statuses]) =>
    [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => tableRow([clean(origin), String(status), grouped(count)])),
  );
  if (rows.length === 0) return '';
  return `<h2>From where</h2>
<p>All responses, those of logins and redirects too.</p>
${numberTable(['origin', 'status', 'responses'], rows)}`;
}

const overTime = `<h2>Over time</h2>
<p>Items a second.</p>
<div class="plot" id="plot-progress"></div>
<p>Memory. It should level off: a line that keeps rising is a leak.</p>
<div class="plot" id="plot-memory"></div>`;
