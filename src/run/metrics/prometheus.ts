/** The registry of prom-client, an optional peer dependency: it writes the values in the format of Prometheus. */
import { loadPackage } from '../../core/util/load-package.js';
import { labelName, type MetricKind, type MetricRow, prometheusName } from './metric-rows.js';
import { type Attributes, Distribution, type MetricPoint } from './points.js';

/** A registry of prom-client. */
export interface PrometheusRegistry {
  readonly contentType: string;
  metrics(): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: prom-client declares a class, of which a registry calls `get` alone.
  registerMetric(metric: any): void;
}

interface PrometheusLibrary {
  readonly Registry: new () => PrometheusRegistry;
}

/** Rejects with ERR_USAGE and the command that installs it if it is missing. */
export async function createRegistry(specifier = 'prom-client'): Promise<PrometheusRegistry> {
  const use = { code: 'ERR_USAGE', user: 'metrics' } as const;
  const { default: library } = await loadPackage<{ readonly default: PrometheusLibrary }>(specifier, use);
  return new library.Registry();
}

/** A metric as a registry reads it. */
interface RegisteredMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricKind;
  readonly aggregator: 'sum';
  readonly values: readonly RegisteredValue[];
}

interface RegisteredValue {
  readonly labels: Attributes;
  readonly value: number;
  readonly metricName?: string;
}

/** Adds a metric to a registry; `read` is called whenever the registry is read. */
export function register(registry: PrometheusRegistry, row: MetricRow, read: () => readonly MetricPoint[]): void {
  const name = prometheusName(row);
  const described = { name, help: row.summary.replaceAll('`', ''), type: row.kind, aggregator: 'sum' } as const;
  const get = async (): Promise<RegisteredMetric> => ({
    ...described,
    values: read().flatMap((each) => valuesOf(name, each)),
  });
  // `reset` is of prom-client's interface: the values are those of runs.
  registry.registerMetric({ ...described, get, reset: () => {} });
}

function valuesOf(name: string, { attributes, value }: MetricPoint): readonly RegisteredValue[] {
  const labels = labelsOf(attributes);
  if (!(value instanceof Distribution)) return [{ labels, value }];
  let count = 0;
  const buckets = [...value.bounds, '+Inf'].map((le, at) => {
    count += value.counts[at] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: value.sum },
    { metricName: `${name}_count`, labels, value: value.count },
  ];
}

const labelsOf = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [labelName(name), value]));
