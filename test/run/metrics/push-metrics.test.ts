import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMetrics, type Metrics, metricsPush, run } from '../../../src/index.js';
import { items, json, startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';

test('metrics are sent as OTLP, with the names of the conventions', async () => {
  const api = await startApi(({ method, target }) =>
    method === 'POST' ? json({}) : json(target.includes('page=1') ? items(1, 3) : []),
  );
  try {
    const metrics = await createMetrics();
    const push = await metricsPush(metrics, api.origin);
    await run(
      {
        api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', firstPage: 1 } },
        config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
      },
      { observe: metrics },
    );
    await push.push();
    const sent = api.requests.at(-1);
    assert.is(sent?.target, '/v1/metrics');
    const [{ resource, scopeMetrics }] = JSON.parse(sent?.body ?? '').resourceMetrics;
    assert.equal(resource.attributes[0], { key: 'service.name', value: { stringValue: 'rxtract' } });
    const of = (name: string) => scopeMetrics[0].metrics.find((each: { name: string }) => each.name === name);
    const [point] = of('rxtract.items').sum.dataPoints;
    assert.equal(point.attributes, [{ key: 'rxtract.job', value: { stringValue: 'users' } }]);
    assert.is(point.asDouble, 3);
    assert.is(of('rxtract.items').sum.isMonotonic, true);
    const [times] = of('http.client.request.duration').histogram.dataPoints;
    assert.is(times.count, 2);
    assert.is(
      times.bucketCounts.reduce((sum: number, count: number) => sum + count),
      2,
    );
    assert.is(times.bucketCounts.length, times.explicitBounds.length + 1);
    assert.equal(times.attributes.map(({ key }: { key: string }) => key).sort(), [
      'http.request.method',
      'http.response.status_code',
      'server.address',
      'server.port',
    ]);
    assert.ok(of('process.memory.usage').gauge.dataPoints[0].asDouble > 1e6);
    assert.is(of('rxtract.logins'), undefined);
  } finally {
    await api.close();
  }
});

test('what a collector refuses is an error that names its origin alone', async () => {
  const api = await startApi(() => ({ status: 400, body: 'no' }));
  try {
    const push = await metricsPush(await createMetrics(), `${api.origin}/otlp?token=hush-hush`);
    const error = await rejection(
      push.push(),
      'ERR_TRANSPORT',
      /metrics could not be pushed to http:\/\/127\.0\.0\.1:\d+: /,
    );
    assert.not.match(error.message, 'hush');
    assert.is(api.requests[0]?.target, '/otlp?token=hush-hush');
  } finally {
    await api.close();
  }
});

for (const [address, message] of [
  ['collector:4318', /an address such as http:\/\/localhost:4318/],
  ['nowhere', /an address such as/],
  ['http://user:hush@collector:4318', /has a password: give it in OTEL_EXPORTER_OTLP_HEADERS/],
] as const) {
  test(`refused: ${address}`, async () => {
    const error = await rejection(metricsPush(await createMetrics(), address), 'ERR_USAGE', message);
    assert.not.match(error.message, 'hush');
  });
}

test('a package that is not installed is named with the command that installs it', async () => {
  const metrics = await createMetrics();
  await rejection(
    metricsPush(metrics, 'http://localhost:4318', 'rxtract-no-such-package'),
    'ERR_USAGE',
    /pushing metrics needs the package rxtract-no-such-package, which is not installed: npm install rxtract-no-such-package/,
  );
});

test('only metrics of rxtract can be pushed', async () => {
  await rejection(
    metricsPush({} as Metrics, 'http://localhost:4318'),
    'ERR_USAGE',
    /expected the result of createMetrics/,
  );
});

test.run();
