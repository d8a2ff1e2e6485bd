/** The public names of rxtract. Sinks are in `rxtract/sinks`, operators in `rxtract/operators`. */

export type { Rate, Slot } from '../operators/limited.js';
export type {
  Closing,
  Earlier,
  Guarantee,
  Opening,
  PageEnd,
  Recovery,
  Sink,
  SinkFunction,
  SinkOutput,
} from '../sinks/contract.js';
export type { StoredToken, TokenStore } from './auth/refresh-tokens.js';
export type { GiveBack, Lease, ListedRun, RunStatus, TaskState } from './checkpoint/board/board.js';
export { type Checkpoint, type CheckpointOptions, openCheckpoint } from './checkpoint/checkpoint.js';
export { stateFolder } from './checkpoint/store/folder-store.js';
export { type StateContext, stateAt } from './checkpoint/store/state-address.js';
export type { OpenStore, Part, Store } from './checkpoint/store/store.js';
export type {
  ApiSection,
  Authentication,
  ConfigSection,
  Configuration,
  JobSection,
  Pagination,
} from './config/configuration.js';
export { parseDocument } from './config/document.js';
export type { EnvironmentVariables as Environment } from './config/env.js';
export type { OutputNaming } from './config/table-settings.js';
export { type ErrorCode, errorCodes } from './core/errors/error-codes.js';
export { ExtractError, type ExtractErrorOptions, type Problem, type Where } from './core/errors/errors.js';
export {
  type Exact,
  type ExactArray,
  ExactNumber,
  type ExactObject,
  fromPlain,
  stringifyExact,
} from './core/json/exact.js';
export type { Batch } from './core/model/batch.js';
export type { JobSummary, LimitOptions as BoundOptions } from './core/model/job-stats.js';
export type { Notice, Notify } from './core/model/notice.js';
export type { OnOutlook, Outlook } from './core/model/outlook.js';
export type { Receipt } from './core/model/page.js';
export type { Headers, Method, PageRequest, Placed } from './core/model/request.js';
export {
  type CredentialBroker,
  type CredentialBrokerOptions,
  createCredentialBroker,
} from './http/credential-broker.js';
export type { Exchanges, ExchangesSummary } from './http/exchanges.js';
export type { LoginGeneration, LoginRecord, LoginShare } from './http/login-share.js';
export type { Observe } from './http/observer.js';
export {
  createRateLimiter,
  type MakeRateLimiter,
  type RateLimiter,
  type RateLimiterContext,
  type RateLimiterOptions,
  type RequestOwner,
  type RequestSlot,
} from './http/rate-limiter.js';
export type { Piece } from './page/buffer/temp-file.js';
export type { Activity, OnActivity, PagePhase as Waiting } from './page/progress.js';
export { recordExchanges } from './recording/record.js';
export { replayExchanges } from './recording/replay.js';
export type { ReadableOf } from './run/consume/readable.js';
export type { ConsumerOptions, Consumers, ReadableAs, ReadableOptions } from './run/consume/types.js';
export { extract, run } from './run/extract.js';
export type { Extraction, JobExtraction } from './run/extraction.js';
export type { Summary } from './run/job-stats.js';
export { createLineage, type Lineage, type LineageOptions } from './run/lineage/create-lineage.js';
export { createMetrics, type Metrics, type MetricsOptions } from './run/metrics/create-metrics.js';
export type { PrometheusRegistry } from './run/metrics/prometheus.js';
export { type MetricsPush, metricsPush } from './run/metrics/push-metrics.js';
export type { ExtractOptions, RunOptions } from './run/options.js';
export type { SinkTarget } from './run/output/sink-target.js';
export { parseConfiguration } from './run/parse-configuration.js';
export {
  type SubmitOptions,
  type SubmittedResult,
  type SubmittedRun,
  submitRun,
} from './run/shared/submitted-run.js';
export { type WorkAtOptions, workAt } from './run/shared/work-at.js';
export type { Worker, WorkerEvent } from './run/shared/worker.js';
export { createTraces, type TracerProvider, type TracesOptions } from './run/traces/create-traces.js';
