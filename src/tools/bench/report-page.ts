/** The page of `--report`: one file that needs no network, with plots that uPlot draws in the browser. */
import { counted, grouped } from '../text/format.js';
import { compared, differences } from './compare.js';
import { asGiven, figureTexts, inMs, rangeText } from './figures.js';
import type { Percentiles } from './latencies.js';
import { plotLibrary } from './plot-library.js';
import { byShare, percent, phaseTexts, readingOf } from './reading.js';
import { plotData } from './report-data.js';
import { reportScript } from './report-script.js';
import { reportStyle } from './report-style.js';
import { type BenchResult, figureNames, type SweepRow } from './result.js';
import { costText, whereAndWhen } from './text-table.js';

/** Returns the HTML, with the plotting library in it. */
export async function reportPage(result: BenchResult, other: BenchResult | undefined): Promise<string> {
  const library = await plotLibrary();
  const title = `Measurement of ${result.configuration}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${library.style}${reportStyle}</style>
</head>
<body>
${body(title, result, other)}
<script type="application/json" id="data">${inScript(JSON.stringify(plotData(result)))}</script>
<script>${library.script}</script>
<script>${reportScript}</script>
</body>
</html>
`;
}

const body = (title: string, result: BenchResult, other: BenchResult | undefined): string =>
  [
    header(title, result),
    cards(result),
    whereTimeWent(result),
    ...Object.entries(result.sweeps).map(([option, rows]) => sweepSection(option, [asGiven(result), ...rows])),
    other === undefined ? '' : comparison(other, result),
    latency(result),
    overTime(result),
    allRuns(result),
    method(result),
  ].join('\n');

/** In HTML, also within quotes. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** JSON inside a script element. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c');

function header(title: string, result: BenchResult): string {
  const { runs, repeat, warmUp, to, options } = result;
  const pages =
    runs[0] === undefined ? '' : `${counted(runs[0].pages, 'page')} with ${counted(runs[0].items, 'item')} a run. `;
  const given = Object.entries(options).map(([name, value]) => `--${name}${value === '' ? '' : ` ${value}`}`);
  return `<h1>${escaped(title)}</h1>
<p class="soft">${escaped(
    `${counted(repeat, 'run')} after ${counted(warmUp, 'warm-up')}, to ${to.join(' ')}. ${pages}${
      given.length === 0 ? '' : `Options: ${given.join(' ')}. `
    }${whereAndWhen(result)}.`,
  )}</p>`;
}

function cards(result: BenchResult): string {
  const names = ['itemsPerSecond', 'pagesPerSecond', 'bytesPerSecond', 'peakMemoryBytes'] as const;
  const figures = names.map((name) => {
    const { label, show } = figureTexts[name];
    const range = rangeText(result, name, ' to ');
    const note = name === 'peakMemoryBytes' ? range : `quartiles ${range}`;
    return card(label, show(result[name]), result.repeat > 1 ? note : 'one run');
  });
  const { firstByte, total } = result.latency;
  return `<div class="cards">${figures.join('')}${card(
    'first byte',
    `${inMs(firstByte.p50)} ms`,
    `median; 99 % within ${inMs(firstByte.p99)} ms`,
  )}${card('last byte', `${inMs(total.p50)} ms`, `median; 99 % within ${inMs(total.p99)} ms`)}</div>`;
}

const card = (label: string, value: string, note: string): string =>
  `<div class="card"><span class="soft">${escaped(label)}</span><b>${escaped(value)}</b><span class="soft">${escaped(note)}</span></div>`;

function whereTimeWent(result: BenchResult): string {
  const present = byShare(result.shares).filter(([, share]) => share > 0);
  const bar = present.map(
    ([phase, share]) =>
      `<span style="flex:${share};background:var(--${phase})" title="${phaseTexts[phase].label} ${percent(share)}"></span>`,
  );
  const rows = present.map(([phase, share]) => {
    const { label, meaning } = phaseTexts[phase];
    return `<tr><td class="name"><span class="key" style="background:var(--${phase})"></span>${label}</td><td class="n">${percent(share)}</td><td>${escaped(meaning)}</td></tr>`;
  });
  const lines = readingOf(result).map((line) => `<p>${escaped(line).replace(/`([^`]*)`/g, '<code>$1</code>')}</p>`);
  return `<h2>Where the time went</h2>
${lines.join('\n')}
<div class="bar" role="img" aria-label="shares of the time of a run">${bar.join('')}</div>
<div class="wide"><table><tr><th>phase</th><th class="n">share</th><th>what it is</th></tr>${rows.join('')}</table></div>
<p class="soft">Shares of the whole run. Where several pages overlap, each moment counts once: for scanning, else for the sink, else for receiving, and so on.</p>`;
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

const tableRow = (cells: readonly string[]): string =>
  `<tr>${cells.map((cell, index) => `<td${index === 0 ? ' class="name"' : ' class="n"'}>${escaped(cell)}</td>`).join('')}</tr>`;

const numberTable = (heads: readonly string[], rows: readonly string[]): string =>
  `<div class="wide"><table><tr>${heads
    .map((head, index) => `<th${index === 0 ? '' : ' class="n"'}>${escaped(head)}</th>`)
    .join('')}</tr>${rows.join('')}</table></div>`;

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

function latency({ latency: { firstByte, body, total }, eventLoopDelay }: BenchResult): string {
  const row = (label: string, { count, p50, p90, p99, max }: Percentiles) =>
    tableRow([label, ...[p50, p90, p99, max].map(inMs), grouped(count)]);
  const rows = [
    row('first byte', firstByte),
    row('body', body),
    row('first and last byte', total),
    row('event-loop delay', eventLoopDelay),
  ];
  return `<h2>Latency</h2>
<p>How many requests had which latency. "First byte" is the time from a request to the head of its response, "body" the time from there to the last byte.</p>
<div class="plot" id="plot-latency"></div>
${numberTable(['ms', 'p50', 'p90', 'p99', 'max', 'count'], rows)}
<p class="soft">p90: 90 % took at most this time. Event-loop delay: how late timers fired because the process was busy.</p>`;
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
