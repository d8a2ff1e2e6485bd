/** Histograms of times, with three significant digits. */
import { Int32Histogram } from 'hdr-histogram-js';
import { rounded } from './numbers.js';

/** In ms; all 0 if there are no values. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** How many values are above the bucket before it and at most `ms`. */
export type Bucket = readonly [ms: number, count: number];

export interface Latencies {
  /** Nanoseconds. */
  record(nanoseconds: number): void;
  add(other: Latencies): void;
  percentiles(): Percentiles;
  /** Buckets of equal width on a logarithmic scale, without empty ones at both ends. */
  buckets(): readonly Bucket[];
  readonly histogram: Int32Histogram;
}

/** Buckets for each power of ten. */
export const perDecade = 10;
const micros = 1000;
const hour = 3_600_000_000;

/** Creates an empty histogram, of microseconds inside. */
export function createLatencies(): Latencies {
  const histogram = new Int32Histogram(1, hour, 3);
  const ms = (percentile: number) => rounded(histogram.getValueAtPercentile(percentile) / micros);
  return {
    histogram,
    record: (nanoseconds) => histogram.recordValue(Math.min(hour, Math.max(1, Math.round(nanoseconds / micros)))),
    add: (other) => histogram.add(other.histogram),
    percentiles() {
      const count = histogram.totalCount;
      if (count === 0) return { count, p50: 0, p90: 0, p99: 0, max: 0 };
      // A percentile is the upper end of its range of values, which may lie above the largest value.
      const max = rounded(histogram.maxValue / micros);
      const upTo = (percentile: number) => Math.min(max, ms(percentile));
      return { count, p50: upTo(50), p90: upTo(90), p99: upTo(99), max };
    },
    buckets: () => bucketsOf(histogram),
  };
}

function bucketsOf(histogram: Int32Histogram): readonly Bucket[] {
  const counts = new Map<number, number>();
  const { recordedValuesIterator: values } = histogram;
  values.reset();
  while (values.hasNext()) {
    const { valueIteratedTo, countAddedInThisIterationStep: count } = values.next();
    const bucket = Math.ceil(Math.log10(valueIteratedTo) * perDecade);
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
  const found = [...counts.keys()];
  const [least, most] = [Math.min(...found), Math.max(...found)];
  const all = found.length === 0 ? [] : Array.from({ length: most - least + 1 }, (_, at) => least + at);
  return all.map((bucket) => [rounded(10 ** (bucket / perDecade) / micros), counts.get(bucket) ?? 0]);
}
