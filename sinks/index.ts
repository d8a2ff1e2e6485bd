/** The public interface of the sinks, `rxtract/sinks`. */

export type { Batch } from '../src/core/model/batch.js';
export type { BatchPlace, PagePlace } from '../src/core/model/batch-place.js';
export type { Notice, Notify } from '../src/core/model/notice.js';
export type { SinkEnvironment } from './addresses/address.js';
export { type Route, routes } from './addresses/routes.js';
export { type BatchOrigin, batchOf } from './batch.js';
export { partsWithout } from './batch-parts.js';
export type { CheckOptions } from './conformance/bench.js';
export { type ConformanceCheck as Check, checkSink } from './conformance.js';
export type {
  Closing,
  Earlier,
  FileDraft,
  FilePlace,
  Guarantee,
  LeftBytes,
  Opening,
  PageEnd,
  Recovery,
  RefusedItem,
  Sink,
  SinkFunction,
  SinkOutput,
} from './contract.js';
export { guaranteeOf } from './contract.js';
export { csv } from './csv/csv.js';
export type { CsvOptions } from './csv/csv-options.js';
export { type BatchBounds, batchBy } from './decorators/batch-by.js';
export type { ItemErrorRule } from './decorators/dead-letters.js';
export { all } from './decorators/fan-out.js';
export type { RefusedItems, RefusedPlace } from './decorators/refusals.js';
export { type TeeOptions, tee } from './decorators/tee.js';
export { type Transform, through } from './decorators/through.js';
export { filterItems, type ItemOptions, mapExact, mapItems, tapBatches, tapItems } from './decorators/transforms.js';
export { ahead } from './decorators/write-ahead.js';
export { type DuckdbOptions, duckdb } from './duckdb/duckdb.js';
export type { Destination, SinkContext, SinkEntry } from './entry.js';
export { isClosedPipe } from './errors.js';
export { type NdjsonOptions, ndjson } from './files/ndjson.js';
export type { OpenFile } from './files/output-file.js';
export { fromFunction } from './from-function.js';
export { type HttpSinkOptions, http } from './http/http.js';
export { createItemErrors, type ItemErrors } from './item-errors.js';
export { kafka } from './kafka/kafka.js';
export type { KafkaOptions } from './kafka/kafka-settings.js';
export { type MemorySink, memory } from './memory.js';
export {
  type CloudEventMembers,
  type CloudEventOptions,
  cloudEventMembers,
  cloudEvents,
} from './messages/cloud-event.js';
export { idempotencyKey, itemBytes, messageIds, pageKey } from './messages/message-id.js';
export type { EnvelopeOptions } from './messages/messages.js';
export { type NatsOptions, nats } from './nats/nats.js';
export { nullSink } from './null.js';
export { parquet } from './parquet/parquet.js';
export type { ParquetOptions } from './parquet/parquet-options.js';
export { type PartsInS3Options, type PartsOptions, parts, partsInS3 } from './parts/parts-sink.js';
export { type PostgresOptions, postgres } from './postgres/postgres.js';
export { type RabbitmqOptions, rabbitmq } from './rabbitmq/rabbitmq.js';
export { type RedisOptions, redis } from './redis/redis.js';
export { sinkFromUri, sinks } from './registry.js';
export { type TablesOptions, tables } from './related-tables/tables.js';
export { type S3Options, s3 } from './s3/s3.js';
export { selectMembers } from './select/select-members.js';
export type { ServerUser } from './servers/credentials.js';
export type { TlsFiles } from './servers/tls.js';
export { stdout } from './stdout.js';
