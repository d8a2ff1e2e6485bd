/** Pushes metrics over OTLP, as JSON over HTTP. docs/20-watching.md#pushed. */
import { asyncScheduler } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import { usageError } from '../../core/util/check-value.js';
import { loadPackage } from '../../core/util/load-package.js';
import { version } from '../../core/util/version.js';
import { type Metrics, type ReadMetrics, readable } from './create-metrics.js';
import { type MetricName, type MetricRow, metricRows } from './metric-rows.js';
import { type Attributes, Distribution, type MetricPoint } from './points.js';

/** `[seconds, nanoseconds]` since 1970. */
type OtlpTime = readonly [number, number];

interface DataPoint {
  readonly attributes: Attributes;
  readonly startTime: OtlpTime;
  readonly endTime: OtlpTime;
  readonly value: number | OtlpDistribution;
}

interface OtlpDistribution {
  readonly count: number;
  readonly sum: number;
  readonly buckets: { readonly boundaries: readonly number[]; readonly counts: readonly number[] };
}

interface OtlpMetric {
  readonly descriptor: {
    readonly name: string;
    readonly description: string;
    readonly unit: string;
    readonly valueType: number;
  };
  readonly aggregationTemporality: number;
  readonly dataPointType: number;
  readonly isMonotonic?: boolean;
  readonly dataPoints: readonly DataPoint[];
}

interface OtlpMetrics {
  readonly resource: { readonly attributes: Attributes };
  readonly scopeMetrics: readonly {
    readonly scope: { readonly name: string; readonly version: string };
    readonly metrics: readonly OtlpMetric[];
  }[];
}

/** Its numbers, after the interfaces of the package `@opentelemetry/sdk-metrics`. */
const pointTypes = { histogram: 0, gauge: 2, counter: 3 } as const;
const cumulative = 1;
const double = 1;

interface OtlpLibrary {
  readonly OTLPMetricExporter: new (options: {
    readonly url: string;
    readonly timeoutMillis: number;
  }) => {
    export(metrics: OtlpMetrics, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
    shutdown(): Promise<void>;
  };
}

/** Sends the metrics as they are now. */
export interface MetricsPush {
  /** Rejects with ERR_TRANSPORT. */
  push(): Promise<void>;
}

const mostMs = 10_000;

/**
 * Loads what sends metrics to an address, such as `http://collector:4318`. Rejects with ERR_USAGE for what is no such
 * address, and if the package is not installed. Headers come from OTEL_EXPORTER_OTLP_HEADERS.
 */
export async function metricsPush(metrics: Metrics, address: string, specifier = packageName): Promise<MetricsPush> {
  const url = endpointOf(address);
  const read = readable(metrics);
  const { OTLPMetricExporter } = await loadPackage<OtlpLibrary>(specifier, {
    code: 'ERR_USAGE',
    user: 'pushing metrics',
  });
  return {
    async push() {
      await read.refresh();
      const data = otlpMetrics(read);
      const exporter = new OTLPMetricExporter({ url: url.href, timeoutMillis: mostMs });
      const result = await new Promise<{ readonly code: number; readonly error?: Error }>((done) =>
        exporter.export(data, done),
      );
      await exporter.shutdown();
      if (result.code === 0) return;
      const why = result.error?.message ?? 'it gives no reason';
      throw new ExtractError('ERR_TRANSPORT', `metrics could not be pushed to ${url.origin}: ${why}`, {
        cause: result.error,
      });
    },
  };
}

const packageName = '@opentelemetry/exporter-metrics-otlp-http';

function endpointOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError('metrics are pushed to an address such as http://localhost:4318');
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('the address for metrics has a password: give it in OTEL_EXPORTER_OTLP_HEADERS instead');
  }
  if (url.pathname === '/') url.pathname = '/v1/metrics';
  return url;
}

/** Metrics without values are left out. */
export function otlpMetrics({ readings, since }: Pick<ReadMetrics, 'readings' | 'since'>): OtlpMetrics {
  const times = { startTime: timeOf(since), endTime: timeOf(asyncScheduler.now()) };
  const metrics = (Object.keys(metricRows) as MetricName[]).flatMap((name) => {
    const points = readings[name]();
    return points.length === 0 ? [] : [metricOf(metricRows[name], points, times)];
  });
  return {
    resource: { attributes: { 'service.name': 'rxtract', 'service.version': version } },
    scopeMetrics: [{ scope: { name: 'rxtract', version }, metrics }],
  };
}

const timeOf = (ms: number): OtlpTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

function metricOf(
  { name, summary, unit, kind }: MetricRow,
  points: readonly MetricPoint[],
  times: Pick<DataPoint, 'startTime' | 'endTime'>,
): OtlpMetric {
  return {
    descriptor: { name, description: summary, unit, valueType: double },
    aggregationTemporality: cumulative,
    dataPointType: pointTypes[kind],
    ...(kind === 'counter' ? { isMonotonic: true } : {}),
    dataPoints: points.map(({ attributes, value }) => ({ attributes, ...times, value: otlpValue(value) })),
  };
}

function otlpValue(value: MetricPoint['value']): DataPoint['value'] {
  if (!(value instanceof Distribution)) return value;
  const { count, sum, bounds, counts } = value;
  return { count, sum, buckets: { boundaries: bounds, counts } };
}
