/** The public declarations of the package, held to a record: what users of the package have written keeps compiling. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Declarations, entryPoints, publicDeclarations } from './declarations.js';
import { root } from './sources.js';

/** As they were at commit cb7c592, before the sources moved to their rooms. */
const before: Readonly<Record<string, Declarations>> = JSON.parse(
  readFileSync(join(root, 'test/rules/public-declarations.json'), 'utf8'),
);
const now = publicDeclarations(root);

/** Names that came later. Add yours, and a line in CHANGELOG.md. */
const added: Readonly<Record<keyof typeof entryPoints, readonly string[]>> = {
  rxtract: [
    'CredentialBroker',
    'CredentialBrokerOptions',
    'Exchanges',
    'ExchangesSummary',
    'GiveBack',
    'Lease',
    'Lineage',
    'LineageOptions',
    'ListedRun',
    'LoginGeneration',
    'LoginRecord',
    'LoginShare',
    'MakeRateLimiter',
    'Metrics',
    'MetricsOptions',
    'MetricsPush',
    'Observe',
    'OnOutlook',
    'Outlook',
    'PageEnd',
    'PrometheusRegistry',
    'Rate',
    'RateLimiter',
    'RateLimiterContext',
    'RateLimiterOptions',
    'Recovery',
    'RequestOwner',
    'RequestSlot',
    'RunStatus',
    'SinkTarget',
    'Slot',
    'StateContext',
    'StoredToken',
    'SubmitOptions',
    'SubmittedResult',
    'SubmittedRun',
    'TaskState',
    'TokenStore',
    'TracerProvider',
    'TracesOptions',
    'WorkAtOptions',
    'Worker',
    'WorkerEvent',
    'createCredentialBroker',
    'createLineage',
    'createMetrics',
    'createRateLimiter',
    'createTraces',
    'metricsPush',
    'recordExchanges',
    'replayExchanges',
    'stateAt',
    'submitRun',
    'workAt',
  ],
  'rxtract/operators': [],
  'rxtract/sinks': [
    'BatchBounds',
    'BatchOrigin',
    'BatchPlace',
    'CloudEventMembers',
    'CloudEventOptions',
    'CsvOptions',
    'Destination',
    'DuckdbOptions',
    'EnvelopeOptions',
    'FileDraft',
    'FilePlace',
    'HttpSinkOptions',
    'ItemErrorRule',
    'ItemErrors',
    'KafkaOptions',
    'LeftBytes',
    'NatsOptions',
    'PageEnd',
    'PagePlace',
    'ParquetOptions',
    'PartsInS3Options',
    'PartsOptions',
    'PostgresOptions',
    'RabbitmqOptions',
    'Recovery',
    'RedisOptions',
    'RefusedItem',
    'RefusedItems',
    'RefusedPlace',
    'Route',
    'S3Options',
    'ServerUser',
    'SinkEnvironment',
    'TablesOptions',
    'TeeOptions',
    'TlsFiles',
    'ahead',
    'batchBy',
    'cloudEventMembers',
    'cloudEvents',
    'createItemErrors',
    'csv',
    'duckdb',
    'guaranteeOf',
    'http',
    'idempotencyKey',
    'itemBytes',
    'kafka',
    'messageIds',
    'nats',
    'pageKey',
    'parquet',
    'parts',
    'partsInS3',
    'partsWithout',
    'postgres',
    'rabbitmq',
    'redis',
    'routes',
    's3',
    'selectMembers',
    'tables',
    'tee',
  ],
};

/** Names that are gone, each with its reason. CHANGELOG.md names them too. */
const removed: readonly string[] = [
  // A position in the output of a sink of the form before `recovery`, which no release had.
  'Mark',
];

/**
 * Lines of a declaration that are gone or read otherwise, as `name: line`, each with its reason. Changing one
 * breaks the code of users, so CHANGELOG.md names it.
 */
const changed: readonly string[] = [
  // Further options: its parameter has another pattern, and the same type.
  'ndjson: export declare function ndjson(dir: string, { notify, openFile }?: NdjsonOptions): Sink;',
  // The second parameter is the job of the batch.
  'batchOf: export declare function batchOf<Item>(dataType: string, items: readonly Item[], job?: string): Batch<Item>;',
  // One more reference: `incremental`.
  "JobSection: readonly params?: Expressions<'attr' | 'time'> | readonly (Expression<'attr' | 'time'> | readonly unknown[])[] | null | undefined;",
  // A value may be an expression with the reference `incremental`.
  'JobSection: readonly headers?: Headers | null | undefined;',
  // They may be undefined too.
  'SinkContext: readonly notify?: Notify;',
  'SinkContext: readonly stdout?: Writable;',
  // The contract of sinks: `commit`, `rollback(dataType)` and `recovery`.
  'Sink: mark?(dataType: string, signal?: AbortSignal): Mark | Promise<Mark>;',
  'Sink: rollback?(mark: Mark): void | Promise<void>;',
  'Sink: readonly guarantee?: Guarantee;',
  'Sink: checkpoint?(dataType: string): Promise<Exact>;',
  // One more method: `response.header`.
  'Pagination: export type Pagination = OffsetPagination | PagenumPagination | ResponseParamPagination | ResponseUrlPagination | ZendeskResponseUrlPagination | LinkHeaderPagination | CursorPagination | KeysetPagination | MultiplePagination | NonePagination;',
  // The same documents, as types that the compiler's messages name. A second type parameter, which is inferred.
  'Configuration: export type Configuration = (Parameters & Bare & Surroundings) | (Wrapped & Surroundings);',
  'extract: export declare function extract<Item = unknown>(configuration: Configuration | ExactObject, options?: ExtractOptions<Item>): Extraction<Item>;',
  'run: export declare function run<Item = unknown>(configuration: Configuration | ExactObject, options?: RunOptions<Item>): Promise<Summary>;',
  // `'only'` is one more choice.
  'CheckpointOptions: readonly resume?: boolean;',
  'checkSink: export declare function checkSink(make: () => Sink | Promise<Sink>, read: (dataType: string) => Promise<readonly string[]>, { stuck, failing, tooLong }?: CheckOptions): Promise<readonly Check[]>;',
];

/** Names of which all is declared anew, each with its reason. CHANGELOG.md names them too. */
const rewritten: readonly string[] = [
  // A job has an endpoint or a report: one of two types, of which the first has every member of before.
  'JobSection',
  // A sink describes itself by rows of options, and gets their values.
  'SinkEntry',
  'sinks',
  // Their members are inferred from the rows of options: test/run/options.test.ts compares the types.
  'ExtractOptions',
  'RunOptions',
];

for (const entry of Object.keys(entryPoints) as readonly (keyof typeof entryPoints)[]) {
  const names = Object.keys(before[entry] ?? {}).filter((name) => !removed.includes(name));
  const namesNow = Object.keys(now[entry] ?? {});

  test(`${entry} exports every name of before, and the listed ones`, () => {
    assert.ok(names.length > 10);
    assert.equal(
      names.filter((name) => !namesNow.includes(name)),
      [],
      'missing names',
    );
    assert.equal(
      namesNow.filter((name) => !names.includes(name)),
      added[entry],
      'added names',
    );
  });

  test(`${entry} declares each name with every member of before`, () => {
    const gone = names
      .filter((name) => !rewritten.includes(name))
      .flatMap((name) => {
        const lines = new Set(now[entry]?.[name]);
        return (before[entry]?.[name] ?? []).filter((line) => !lines.has(line)).map((line) => `${name}: ${line}`);
      });
    assert.equal(
      gone.filter((line) => !changed.includes(line)),
      [],
    );
  });
}

test.run();
