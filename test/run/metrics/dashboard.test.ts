import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { labelName, type MetricRow, metricRows, prometheusName } from '../../../src/run/metrics/metric-rows.js';

const dashboard = readFileSync(new URL('../../../examples/grafana/dashboard.json', import.meta.url), 'utf8');
const rows = new Map(Object.values<MetricRow>(metricRows).map((row) => [prometheusName(row), row]));
const expressions: readonly string[] = JSON.parse(dashboard).panels.flatMap(
  ({ targets }: { targets: readonly { expr: string }[] }) => targets.map(({ expr }) => expr),
);

for (const expression of expressions) {
  test(`the dashboard asks for a metric and labels that there are: ${expression}`, () => {
    const [name = ''] = /rxtract_\w+/.exec(expression) ?? [];
    const row = rows.get(name.replace(/_bucket$/, ''));
    assert.ok(row, name);
    const labels = new Set(['le', ...(row?.attributes.map(labelName) ?? [])]);
    const grouped = /by \(([^)]*)\)/.exec(expression)?.[1]?.split(', ') ?? [];
    const matched = [...expression.matchAll(/(\w+)=~/g)].map(([, label = '']) => label);
    assert.equal(
      [...grouped, ...matched].filter((label) => !labels.has(label)),
      [],
    );
  });
}

test.run();
