/** The plots of a run, by uPlot, in the style of reports. */
import uPlot from 'uplot';
import type { PageRunTick } from '../page-messages.js';
import { element } from './dom.js';
import { short } from './page-figures.js';

export interface RunPlots {
  readonly place: HTMLElement;
  show(ticks: readonly PageRunTick[]): void;
}

type Column = readonly (number | null)[];

interface PlotRow {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly { readonly label: string; readonly color: string }[];
  columns(ticks: readonly PageRunTick[]): readonly Column[];
}

/** The rate at a moment is that of so many moments before it. */
const rateTicks = 8;

const ratesOf = (ticks: readonly PageRunTick[]): Column =>
  ticks.map(({ at, items }, index) => {
    const before = ticks[Math.max(0, index - rateTicks)];
    return before === undefined || before.at === at ? 0 : ((items - before.items) * 1000) / (at - before.at);
  });

/** Of the last moments, in items a second. */
export const rateNow = (ticks: readonly PageRunTick[]): number => ratesOf(ticks.slice(-rateTicks - 1)).at(-1) ?? 0;

const causes = ['server', 'rate', 'retry', 'login', 'sink'] as const;

const rows: readonly PlotRow[] = [
  {
    title: 'Throughput',
    unit: 'items/s',
    lines: [{ label: 'items/s', color: 'c1' }],
    columns: (ticks) => [ratesOf(ticks)],
  },
  {
    title: 'Latency',
    unit: 'ms to a response',
    lines: [
      { label: 'p50', color: 'c3' },
      { label: 'p95', color: 'c2' },
    ],
    columns: (ticks) => [ticks.map(({ p50 }) => p50), ticks.map(({ p95 }) => p95)],
  },
  {
    title: 'In flight',
    unit: 'requests',
    lines: [{ label: 'requests', color: 'c4' }],
    columns: (ticks) => [ticks.map(({ inFlight }) => inFlight)],
  },
  {
    title: 'Waits',
    unit: 'pages that wait for',
    lines: causes.map((label, index) => ({ label, color: `c${index + 1}` })),
    columns: (ticks) => causes.map((cause) => ticks.map(({ waits }) => waits[cause] ?? 0)),
  },
];

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const height = 170;

export function createRunPlots(): RunPlots {
  const places = rows.map(({ title, unit }) => {
    const plot = element('div', { className: 'plot', attributes: { role: 'img', 'aria-label': `${title}, ${unit}` } });
    const head = element('h3', {}, title, element('span', { className: 'soft', textContent: ` ${unit}` }));
    return { plot, figure: element('figure', {}, head, plot) };
  });
  const place = element('div', { className: 'plots' }, ...places.map(({ figure }) => figure));
  let drawn: uPlot[] = [];
  let latest: readonly PageRunTick[] = [];
  const dataOf = (row: PlotRow): uPlot.AlignedData =>
    [latest.map(({ at }) => at / 1000), ...row.columns(latest)] as uPlot.AlignedData; // columns of one length
  const create = () => {
    for (const plot of drawn) plot.destroy();
    drawn = rows.flatMap((row, index) => {
      const { plot } = places[index] ?? {};
      return plot === undefined || plot.clientWidth === 0
        ? []
        : [new uPlot(optionsOf(row, plot.clientWidth), dataOf(row), plot)];
    });
  };
  let width = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    create();
  }).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', create);
  return {
    place,
    show(ticks) {
      latest = ticks;
      if (place.clientWidth === 0) return;
      for (const [index, plot] of drawn.entries()) {
        const row = rows[index];
        if (row !== undefined) plot.setData(dataOf(row));
      }
    },
  };
}

function optionsOf(row: PlotRow, width: number): uPlot.Options {
  const axis = (size: number): uPlot.Axis => ({
    stroke: color('soft'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
    size,
    values: (_, splits) => splits.map((split) => (split === null ? '' : short(split))),
  });
  const line = ({ label, color: name }: PlotRow['lines'][number]): uPlot.Series => ({
    label,
    stroke: color(name),
    width: 1.75,
    spanGaps: true,
    points: { show: false },
    value: (_, value) => (value === null ? '-' : short(value)),
  });
  return {
    width,
    height,
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { show: row.lines.length > 1, live: false, markers: { width: 3 } },
    scales: {
      x: { time: false, range: (_, __, last) => [0, Math.max(1, last ?? 1)] },
      y: { range: (_, __, most) => [0, Math.max(1, (most ?? 1) * 1.1)] },
    },
    axes: [axis(26), axis(46)],
    series: [{}, ...row.lines.map(line)],
  };
}
