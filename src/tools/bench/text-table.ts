/** The result as text for a terminal of 80 columns. */
import { counted, grouped } from '../text/format.js';
import { table, wrap } from '../text/lines.js';
import { compared, differences, leastRuns, machineText } from './compare.js';
import { asGiven, figureTexts, inMs, rangeText } from './figures.js';
import type { Percentiles } from './latencies.js';
import { byShare, percent, phaseTexts, readingOf } from './reading.js';
import { type BenchResult, figureNames, type SweepRow } from './result.js';

const barWidth = 30;

/** Lines without line breaks. */
export function benchTable(result: BenchResult, other: BenchResult | undefined): readonly string[] {
  return [
    ...heading(result),
    '',
    ...figures(result),
    '',
    ...latencies(result),
    '',
    'Where the time went',
    ...shares(result),
    ...readingOf(result).flatMap((line) => ['', ...wrapped(line)]),
    ...Object.entries(result.sweeps).flatMap(([option, rows]) => ['', ...sweep(option, [asGiven(result), ...rows])]),
    ...(other === undefined ? [] : ['', ...comparison(other, result)]),
    '',
    ...wrapped(costText(result)),
  ];
}

/** The cost of the measuring, as a sentence. */
export const costText = ({ measuring: { share, calls, nanosecondsPerCall } }: BenchResult): string =>
  `The measuring took ${share < 0.0005 ? 'less than 0.1 %' : `about ${percent(share)}`} of the time (${counted(calls, 'call')} of ${Math.round(nanosecondsPerCall)} ns).`;

const width = 80;
const wrapped = (text: string): readonly string[] => wrap(text, '', '', width);

function heading({ configuration, repeat, warmUp, to, runs: [run] }: BenchResult & { readonly machine: unknown }) {
  const what =
    run === undefined ? '' : `: ${counted(run.pages, 'page')}, ${counted(run.items, 'item')} to ${to.join(' ')}`;
  return wrapped(`${configuration}${what}, ${counted(repeat, 'run')} after ${counted(warmUp, 'warm-up')}`);
}

function figures(result: BenchResult): readonly string[] {
  const rows = figureNames.map((name) => {
    const { label, show } = figureTexts[name];
    return [label, show(result[name]), rangeText(result, name, ' - ')];
  });
  const retries = result.runs.reduce((sum, run) => sum + run.retries, 0);
  const failed = retries === 0 ? [] : [`Requests that failed and were sent again, in all runs: ${grouped(retries)}`];
  return [...table([['', 'median', 'quartiles'], ...rows], new Set([1, 2])), ...failed];
}

function latencies({ latency, eventLoopDelay }: BenchResult): readonly string[] {
  const row = (label: string, { p50, p90, p99, max }: Percentiles) => [label, ...[p50, p90, p99, max].map(inMs)];
  const rows = [
    row('first byte', latency.firstByte),
    row('body', latency.body),
    row('first and last byte', latency.total),
    row('event-loop delay', eventLoopDelay),
  ];
  return table([['ms', 'p50', 'p90', 'p99', 'max'], ...rows], new Set([1, 2, 3, 4]));
}

const shares = (result: BenchResult): readonly string[] =>
  table(
    byShare(result.shares)
      .filter(([, share]) => share > 0)
      .map(([phase, share]) => [
        `  ${phaseTexts[phase].label}`,
        percent(share),
        '#'.repeat(Math.round(share * barWidth)),
      ]),
    new Set([1]),
  );

function sweep(option: string, rows: readonly SweepRow[]): readonly string[] {
  const cells = rows.map((row) => [
    row.value,
    figureTexts.itemsPerSecond.show(row.itemsPerSecond),
    row.quartiles.itemsPerSecond.map((value) => figureTexts.itemsPerSecond.show(value)).join(' - '),
    inMs(row.latency.total.p50),
    inMs(row.latency.total.p99),
    figureTexts.peakMemoryBytes.show(row.peakMemoryBytes),
  ]);
  const heads = [`--${option}`, 'items/s', 'quartiles', 'p50 ms', 'p99 ms', 'memory'];
  return [...table([heads, ...cells], new Set([0, 1, 2, 3, 4, 5])), 'p50 and p99: from a request to the last byte.'];
}

function comparison(before: BenchResult, now: BenchResult): readonly string[] {
  const rows = compared(before, now).map(({ name, ...figure }) => {
    const { label, show } = figureTexts[name];
    const ratio = figure.ratio === undefined ? '' : figure.ratio.toFixed(2);
    return [label, show(figure.before), show(figure.now), ratio, figure.verdict];
  });
  const latencyRows = (['firstByte', 'total'] as const).map((name) => [
    name === 'firstByte' ? 'first byte, p50' : 'last byte, p50',
    `${inMs(before.latency[name].p50)} ms`,
    `${inMs(now.latency[name].p50)} ms`,
    '',
    '',
  ]);
  return [
    ...wrapped(`Compared with ${before.configuration} of ${before.startedAt} (${counted(before.runs.length, 'run')})`),
    ...differences(before, now).flatMap((line) => wrapped(`Not the same ${line}`)),
    ...table([['', 'before', 'now', 'ratio', ''], ...rows, ...latencyRows], new Set([1, 2, 3])),
    ...wrapped(
      rows.some(([, , , , verdict]) => verdict === 'too few runs')
        ? `A comparison needs ${leastRuns} runs or more of both.`
        : '"Within the noise": the ranges between the quartiles of the runs overlap.',
    ),
  ];
}

/** For a report: the machine, and when. */
export const whereAndWhen = (result: BenchResult): string => `${machineText(result)}, ${result.startedAt}`;
