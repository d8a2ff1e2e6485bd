/** RunFigures as people read them. */
import { grouped, size } from '../text/format.js';
import type { BenchResult, RunFigures, SweepRow, Variant } from './result.js';

interface FigureText {
  readonly label: string;
  show(value: number): string;
}

const rate = (value: number): string => (value < 100 ? value.toFixed(1) : grouped(Math.round(value)));
const seconds = (value: number): string => `${value < 10 ? value.toFixed(3) : value.toFixed(1)} s`;

export const figureTexts: Readonly<Record<keyof RunFigures, FigureText>> = {
  itemsPerSecond: { label: 'items/s', show: rate },
  pagesPerSecond: { label: 'pages/s', show: rate },
  bytesPerSecond: { label: 'MB/s', show: (value) => (value / 1e6).toFixed(value < 1e6 ? 3 : 1) },
  seconds: { label: 'time of a run', show: seconds },
  cpuSeconds: { label: 'CPU time of a run', show: seconds },
  peakMemoryBytes: { label: 'peak memory', show: size },
};

/** Ms: three digits at least, never more than three after the point. */
export const inMs = (value: number): string =>
  value >= 100 ? grouped(Math.round(value)) : value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3);

/** The quartiles of a figure. The peak memory of a process is the largest of its runs, so it has none. */
export function rangeText({ quartiles }: Variant, name: keyof RunFigures, between: string): string {
  if (name === 'peakMemoryBytes') return 'largest of all runs';
  return quartiles[name].map(figureTexts[name].show).join(between);
}

/** The first row of each sweep: what its values are compared with. */
export const asGiven = (result: BenchResult): SweepRow => ({ ...result, value: 'as given' });
