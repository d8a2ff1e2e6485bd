/** Sections that the report of a run and that of a measurement have in common. */
import { inMs } from '../bench/figures.js';
import type { Percentiles } from '../bench/latencies.js';
import type { RunPhase } from '../bench/phases.js';
import { byShare, percent, phaseTexts } from '../bench/reading.js';
import type { RunLatency } from '../bench/result.js';
import { grouped } from '../text/format.js';
import { escaped, numberTable, tableRow } from './html.js';

/** Where the time went: sentences, a bar and a table. `shares` add up to 1. */
export function timeSection(shares: Readonly<Record<RunPhase, number>>, lines: readonly string[]): string {
  const present = byShare(shares).filter(([, share]) => share > 0);
  const bar = present.map(
    ([phase, share]) =>
      `<span style="flex:${share};background:var(--${phase})" title="${phaseTexts[phase].label} ${percent(share)}"></span>`,
  );
  const rows = present.map(([phase, share]) => {
    const { label, meaning } = phaseTexts[phase];
    return `<tr><td class="name"><span class="key" style="background:var(--${phase})"></span>${label}</td><td class="n">${percent(share)}</td><td>${escaped(meaning)}</td></tr>`;
  });
  const texts = lines.map((line) => `<p>${escaped(line).replace(/`([^`]*)`/g, '<code>$1</code>')}</p>`);
  return `<h2>Where the time went</h2>
${texts.join('\n')}
<div class="bar" role="img" aria-label="shares of the time of a run">${bar.join('')}</div>
<div class="wide"><table><tr><th>phase</th><th class="n">share</th><th>what it is</th></tr>${rows.join('')}</table></div>
<p class="soft">Shares of the whole run. Where several pages overlap, each moment counts once: for scanning, else for the sink, else for receiving, and so on.</p>`;
}

/** Latencies of requests, in ms. */
export function latencySection({ firstByte, body, total }: RunLatency, eventLoopDelay: Percentiles): string {
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
