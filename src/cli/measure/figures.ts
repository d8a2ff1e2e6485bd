/** RunFigures as people read them. */
import { grouped, size } from '../format.js';
import type { RunFigures } from './result.js';

interface FigureText {
  readonly label: string;
  show(value: number): string;
}

const rate = (value: number): string => (value < 100 ? value.toFixed(1) : grouped(Math.round(value)));
const seconds = (value: number): string => `${value < 10 ? value.toFixed(3) : value.toFixed(1)} s`;

export const figureTexts: Readonly<Record<keyof RunFigures, FigureText>> = {
  itemsPerSecond: { label: 'items/s', show: rate },
  pagesPerSecond: { label: 'pages/s', show: rate },
  bytesPerSecond: { label: 'MB/s', show: (value) => (value / 1e6).toFixed(1) },
  seconds: { label: 'time of a run', show: seconds },
  cpuSeconds: { label: 'CPU time of a run', show: seconds },
  peakMemoryBytes: { label: 'peak memory', show: size },
};

/** Ms: three digits at least, never more than three after the point. */
export const inMs = (value: number): string =>
  value >= 100 ? grouped(Math.round(value)) : value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3);
