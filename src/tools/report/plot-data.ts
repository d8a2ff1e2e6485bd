/** The data of the plots, in columns as uPlot takes them. */
import { elementAt } from '../../core/util/element-at.js';
import { perDecade } from '../bench/latencies.js';
import { rounded } from '../bench/numbers.js';
import type { BenchResult, TimelinePoint, Variant } from '../bench/result.js';

type Column = readonly (number | null)[];

export interface PlotData {
  readonly latency: {
    readonly ms: readonly number[];
    readonly series: readonly { readonly label: string; readonly color: string; readonly counts: Column }[];
  };
  /** Seconds, then items/s of each run. */
  readonly progress: { readonly names: readonly string[]; readonly columns: readonly Column[] };
  /** Seconds, resident bytes, heap bytes. */
  readonly memory: { readonly columns: readonly Column[] };
  readonly sweeps: Readonly<Record<string, SweepPlot>>;
}

interface SweepPlot {
  readonly values: readonly string[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly median: readonly number[];
  /** With the options as given, at each value: a level line. */
  readonly given: readonly number[];
}

/** The plots of one run or more. */
export const plotsOf = (
  distribution: Variant['distribution'],
  timelines: readonly (readonly TimelinePoint[])[],
): Omit<PlotData, 'sweeps'> => ({
  latency: latencyPlot(distribution),
  progress: progressPlot(timelines),
  memory: { columns: memoryColumns(timelines.at(-1) ?? []) },
});

/** The plots of a measurement. */
export const plotData = (result: BenchResult): PlotData => ({
  ...plotsOf(
    result.distribution,
    result.runs.map(({ timeline }) => timeline),
  ),
  sweeps: Object.fromEntries(
    Object.entries(result.sweeps).map(([option, rows]) => [
      option,
      {
        values: rows.map(({ value }) => value),
        lower: rows.map(({ quartiles }) => quartiles.itemsPerSecond[0]),
        upper: rows.map(({ quartiles }) => quartiles.itemsPerSecond[1]),
        median: rows.map(({ itemsPerSecond }) => itemsPerSecond),
        given: rows.map(() => result.itemsPerSecond),
      },
    ]),
  ),
});

function latencyPlot(distribution: Variant['distribution']): PlotData['latency'] {
  const parts = [
    { label: 'first and last byte', color: 'c1', buckets: distribution.total },
    { label: 'first byte', color: 'c2', buckets: distribution.firstByte },
    { label: 'body', color: 'c3', buckets: distribution.body },
  ];
  const ms = withLowerEdges([...new Set(parts.flatMap(({ buckets }) => buckets.map(([upTo]) => upTo)))]);
  const series = parts.map(({ label, color, buckets }) => {
    const counts = new Map(buckets);
    return { label, color, counts: ms.map((upTo) => counts.get(upTo) ?? 0) };
  });
  return { ms, series };
}

/** Adds the lower edge of each bucket that follows a gap: a plot would draw the bucket across the gap. */
function withLowerEdges(upTo: readonly number[]): readonly number[] {
  const ratio = 10 ** (1 / perDecade);
  const sorted = upTo.toSorted((a, b) => a - b);
  return sorted.flatMap((value, index) => {
    const before = sorted[index - 1] ?? 0;
    return value / ratio > before * 1.01 ? [rounded(value / ratio), value] : [value];
  });
}

/** The rate at a moment is that of so many points before it, so that a single page does not make a peak. */
const window = 8;

function progressPlot(timelines: readonly (readonly TimelinePoint[])[]): PlotData['progress'] {
  const rates = timelines.map((timeline) => new Map(ratesOf(timeline)));
  const seconds = [...new Set(rates.flatMap((each) => [...each.keys()]))].sort((a, b) => a - b);
  return {
    names: timelines.map((_, index) => (timelines.length === 1 ? 'items/s' : `run ${index + 1}`)),
    columns: [seconds, ...rates.map((each) => seconds.map((second) => each.get(second) ?? null))],
  };
}

function ratesOf(timeline: readonly TimelinePoint[]): readonly (readonly [seconds: number, rate: number])[] {
  return timeline.slice(1).map(([seconds, , , items], index) => {
    const [before, , , itemsBefore] = elementAt(timeline, Math.max(0, index + 1 - window));
    return [seconds, seconds > before ? rounded((items - itemsBefore) / (seconds - before)) : 0] as const;
  });
}

const memoryColumns = (timeline: readonly TimelinePoint[]): readonly Column[] => [
  timeline.map(([seconds]) => seconds),
  timeline.map(([, resident]) => resident),
  timeline.map(([, , heap]) => heap),
];
