/** The public names of rxtract. Sinks are in `rxtract/sinks`, operators in `rxtract/operators`. */

export { type Checkpoint, type CheckpointOptions, openCheckpoint } from './checkpoint/checkpoint.js';
export { stateFolder } from './checkpoint/folder.js';
export type { OpenStore, Part, Store } from './checkpoint/store.js';
export type {
  ApiSection,
  Authentication,
  ConfigSection,
  Configuration,
  JobSection,
  Pagination,
} from './config/configuration.js';
export { parseDocument } from './config/document.js';
export type { Environment } from './config/env.js';
export {
  type ErrorCode,
  ExtractError,
  type ExtractErrorOptions,
  errorCodes,
  type Problem,
  type Where,
} from './core/errors/errors.js';
export {
  type Exact,
  type ExactArray,
  ExactNumber,
  type ExactObject,
  fromPlain,
  stringifyExact,
} from './core/json/exact.js';
export type {
  Batch,
  Closing,
  Earlier,
  Guarantee,
  Headers,
  Mark,
  Method,
  Notice,
  Notify,
  Opening,
  PageRequest,
  Placed,
  Receipt,
  Sink,
  SinkFunction,
  SinkOutput,
} from './core/model/types.js';
export type { Piece } from './page/buffer/temp-file.js';
export type { Activity, OnActivity, Waiting } from './page/progress.js';
export type { ReadableOf } from './run/consume/readable.js';
export type { FaceOptions, Faces, ReadableAs, ReadableOptions } from './run/consume/types.js';
export { extract, run } from './run/extract.js';
export type { Extraction, JobExtraction } from './run/extraction.js';
export type { JobSummary, Summary } from './run/job-stats.js';
export type { BoundOptions } from './run/limits.js';
export type { ExtractOptions, RunOptions } from './run/options.js';
export type { OutputNaming } from './run/output-names.js';
export { parseConfiguration } from './run/parse-configuration.js';
