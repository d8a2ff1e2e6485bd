/** Traces over OTLP: where they go, what a collector gets, and what is said of spans that are lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../../src/index.js';
import { exportTraces, traceAddress } from '../../../src/run/traces/export-traces.js';
import { type Api, items, json, type Reply, startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';

const endpoint = 'http://collector:4318';

test('the address comes from the variables of OpenTelemetry', () => {
  const addressIn = (env: Readonly<Record<string, string>>) => traceAddress(env)?.href;
  assert.is(addressIn({}), undefined);
  assert.is(addressIn({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }), undefined);
  assert.is(addressIn({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), `${endpoint}/v1/traces`);
  assert.is(addressIn({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/otlp/` }), `${endpoint}/otlp/v1/traces`);
  const own = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/t' };
  assert.is(addressIn(own), 'https://other/t');
  assert.is(addressIn({ ...own, OTEL_SDK_DISABLED: 'TRUE' }), undefined);
  assert.is(addressIn({ ...own, OTEL_TRACES_EXPORTER: 'none' }), undefined);
  assert.is(addressIn({ ...own, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }), 'https://other/t');
});

test('an address that is none, and grpc, are refused', () => {
  for (const text of ['collector:4318', 'http://']) {
    assert.throws(() => traceAddress({ OTEL_EXPORTER_OTLP_ENDPOINT: text }), /expected an address such as http:/);
  }
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  assert.throws(() => traceAddress(env), /over HTTP, not grpc/);
  const own = { ...env, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
  assert.is(traceAddress(own)?.href, `${endpoint}/v1/traces`);
});

test('packages that are not installed are named with the command that installs all of them', async () => {
  const missing = ['@opentelemetry/api', 'rxtract-no-sdk', 'rxtract-no-resources', 'rxtract-no-exporter'] as const;
  await rejection(
    exportTraces(new URL(endpoint), { packages: missing }),
    'ERR_USAGE',
    /rxtract-no-sdk, which is not installed: npm install @opentelemetry\/api rxtract-no-sdk rxtract-no-resources/,
  );
});

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

/** An API with a page of items, and a collector. */
async function withCollector(answer: Reply, env: Readonly<Record<string, string>>, use: (api: Api) => Promise<void>) {
  const api = await startApi(({ method, target }) => {
    if (method === 'POST') return answer;
    return json(target.includes('page=1') ? items(1, 3) : []);
  });
  Object.assign(process.env, env);
  try {
    await use(api);
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    await api.close();
  }
}

const configOf = ({ origin }: Api) => ({
  api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum' as const, firstPage: 1 } },
  config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
});

const collected = ({ requests }: Api) =>
  requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).resourceSpans[0]);

test('a collector gets the spans of a run, with the resource that the variables say', () =>
  withCollector(json({}), { OTEL_RESOURCE_ATTRIBUTES: 'team=data,service.name=pulls' }, async (api) => {
    const { traces, flush, close } = await exportTraces(new URL(`${api.origin}/v1/traces`));
    await run(configOf(api), { observe: traces });
    await flush();
    await close();
    const [{ resource, scopeSpans }, ...others] = collected(api);
    assert.is(others.length, 0);
    const values = resource.attributes.map(({ key, value }: Attribute) => [key, value.stringValue]);
    assert.is(new Map(values).get('service.name'), 'pulls');
    assert.is(new Map(values).get('team'), 'data');
    const spans: readonly Span[] = scopeSpans[0].spans;
    assert.equal(spans.map(({ name }) => name).sort(), [
      'GET',
      'GET',
      'commit',
      'commit',
      'job users',
      'page',
      'page',
      'run',
    ]);
    const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const above = spans.map(({ name, parentSpanId = '' }) => `${nameOf.get(parentSpanId)} > ${name}`);
    assert.equal(
      new Set(above),
      new Set(['undefined > run', 'run > job users', 'job users > page', 'page > GET', 'page > commit']),
    );
  }));

test('a sampler that takes nothing sends nothing', () =>
  withCollector(json({}), { OTEL_TRACES_SAMPLER: 'always_off' }, async (api) => {
    const { traces, flush, close } = await exportTraces(new URL(`${api.origin}/v1/traces`), { traceparent: true });
    await run(configOf(api), { observe: traces });
    await flush();
    await close();
    assert.equal(collected(api), []);
    const [, parent] = api.requests[0]?.headers.find(([name]) => name === 'traceparent') ?? [];
    assert.match(parent ?? '', /^00-[\da-f]{32}-[\da-f]{16}-00$/);
  }));

test('spans that a collector refuses are counted, once', () =>
  withCollector({ status: 400 }, {}, async (api) => {
    const { traces, flush, close } = await exportTraces(new URL(`${api.origin}/v1/traces`));
    await run(configOf(api), { observe: traces });
    await rejection(flush(), 'ERR_TRANSPORT', /^8 of 8 spans could not be exported to http:.*\d: /);
    await flush();
    await close();
  }));

test('spans that the queue has no room for are counted', () =>
  withCollector(json({}), { OTEL_BSP_MAX_QUEUE_SIZE: '1', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' }, async (api) => {
    const { traces, flush, close } = await exportTraces(new URL(`${api.origin}/v1/traces`));
    const observer = traces.observer((text) => text);
    observer.begin({ jobs: () => [] });
    for (let page = 0; page < 5; page += 1) observer.job('users').page(page).succeeds({ count: 1, bytes: 1 });
    observer.end(undefined);
    await rejection(flush(), 'ERR_TRANSPORT', /^\d+ of 11 spans could not be .* raise OTEL_BSP_MAX_QUEUE_SIZE$/);
    await close();
  }));

test.run();
