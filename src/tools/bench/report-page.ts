/** The page of `rxtract bench --report`. */
import { card, cards, escaped, htmlPage, numberTable, tableRow } from '../report/html.js';
import { latencySection, timeSection } from '../report/page-sections.js';
import { plotData } from '../report/plot-data.js';
import { counted } from '../text/format.js';
import { compared, differences } from './compare.js';
import { asGiven, figureTexts, inMs, rangeText } from './figures.js';
import { readingOf } from './reading.js';
import { type BenchResult, figureNames, type SweepRow } from './result.js';
import { costText, whereAndWhen } from './text-table.js';

/** Returns the HTML. */
export const reportPage = (result: BenchResult, other: BenchResult | undefined): Promise<string> =>
  htmlPage({
    title: `Measurement of ${result.configuration}`,
    sections: [
      header(result),
      figureCards(result),
      timeSection(result.shares, readingOf(result)),
      ...Object.entries(result.sweeps).map(([option, rows]) => sweepSection(option, [asGiven(result), ...rows])),
      ...(other === undefined ? [] : [comparison(other, result)]),
      latencySection(result.latency, result.eventLoopDelay),
      overTime(result),
      allRuns(result),
      method(result),
    ],
    plots: plotData(result),
  });

function header(result: BenchResult): string {
  const { runs, repeat, warmUp, to, options } = result;
  const pages =
    runs[0] === undefined ? '' : `${counted(runs[0].pages, 'page')} with ${counted(runs[0].items, 'item')} a run. `;
  const given = Object.entries(options).map(([name, value]) => `--${name}${value === '' ? '' : ` ${value}`}`);
  return `<p class="soft">${escaped(
    `${counted(repeat, 'run')} after ${counted(warmUp, 'warm-up')}, to ${to.join(' ')}. ${pages}${
      given.length === 0 ? '' : `Options: ${given.join(' ')}. `
    }${whereAndWhen(result)}.`,
  )}</p>`;
}

function figureCards(result: BenchResult): string {
  const names = ['itemsPerSecond', 'pagesPerSecond', 'bytesPerSecond', 'peakMemoryBytes'] as const;
  const figures = names.map((name) => {
    const { label, show } = figureTexts[name];
    const range = rangeText(result, name, ' to ');
    const note = name === 'peakMemoryBytes' ? range : `quartiles ${range}`;
    return card(label, show(result[name]), result.repeat > 1 ? note : 'one run');
  });
  const { firstByte, total } = result.latency;
  const times = [
    ['first byte', firstByte],
    ['last byte', total],
  ] as const;
  const waits = times.map(([label, { p50, p99 }]) =>
    card(label, `${inMs(p50)} ms`, `median; 99 % within ${inMs(p99)} ms`),
  );
  return cards([...figures, ...waits]);
}

function sweepSection(option: string, rows: readonly SweepRow[]): string {
  const { show } = figureTexts.itemsPerSecond;
  const cells = rows.map((row) =>
    tableRow([
      row.value,
      show(row.itemsPerSecond),
      row.quartiles.itemsPerSecond.map(show).join(' to '),
      inMs(row.latency.firstByte.p50),
      inMs(row.latency.total.p99),
      figureTexts.peakMemoryBytes.show(row.peakMemoryBytes),
    ]),
  );
  const heads = [`--${option}`, 'items/s', 'quartiles', 'first byte p50, ms', 'last byte p99, ms', 'peak memory'];
  return `<h2>What other values of --${escaped(option)} give</h2>
<div class="plot" id="plot-sweep-${escaped(option)}"></div>
${numberTable(heads, cells)}`;
}

function comparison(before: BenchResult, now: BenchResult): string {
  const rows = compared(before, now).map(({ name, ratio, verdict, ...figure }) => {
    const { label, show } = figureTexts[name];
    const range = (result: BenchResult) => `<span class="soft">${escaped(rangeText(result, name, ' to '))}</span>`;
    const cells = [
      `<td>${label}<br><span class="${verdict.split(' ')[0]}">${verdict}</span></td>`,
      `<td class="n">${show(figure.before)}<br>${range(before)}</td>`,
      `<td class="n">${show(figure.now)}<br>${range(now)}</td>`,
      `<td class="n">${ratio?.toFixed(2) ?? ''}</td>`,
    ];
    return `<tr>${cells.join('')}</tr>`;
  });
  const notSame = differences(before, now).map((line) => `<p><b>Not the same ${escaped(line)}</b></p>`);
  return `<h2>Compared with an earlier measurement</h2>
<p class="soft">Before: ${escaped(`${before.configuration}, ${before.startedAt}, ${counted(before.runs.length, 'run')}`)}. Small figures are quartiles. A difference is within the noise if these ranges overlap.</p>
${notSame.join('\n')}
<div class="wide"><table><tr><th></th><th class="n">before</th><th class="n">now</th><th class="n">ratio</th></tr>${rows.join('')}</table></div>`;
}

const overTime = ({ repeat }: BenchResult): string => `<h2>Over time</h2>
<p>Items a second, ${repeat > 1 ? 'a line for each run' : 'during the run'}.</p>
<div class="plot" id="plot-progress"></div>
<p>Memory during the ${repeat > 1 ? 'last run' : 'run'}. It should level off: a line that keeps rising is a leak.</p>
<div class="plot" id="plot-memory"></div>`;

function allRuns({ runs }: BenchResult): string {
  const rows = runs.map((run, index) =>
    tableRow([
      `run ${index + 1}`,
      ...figureNames.map((name) => figureTexts[name].show(run[name])),
      String(run.requests),
      String(run.retries),
    ]),
  );
  const heads = ['', ...figureNames.map((name) => figureTexts[name].label), 'requests', 'retries'];
  return `<h2>All runs</h2>\n${numberTable(heads, rows)}`;
}

const method = (result: BenchResult): string => `<h2>How it was measured</h2>
<p>All runs took place in one process, one after the other; warm-up runs do not count. Rates are those of the whole run, from its first request to the closed sink. MB are bytes of the bodies, decoded. Latencies are those of all requests of all runs, measured where they are sent; responses of status 400 and above are not among them.</p>
<p>${escaped(costText(result))}</p>`;
