/** The public names of rxtract. Sinks are in `rxtract/sinks`, operators in `rxtract/operators`. */
export type { Activity, OnActivity, Waiting } from './activity.js';
export { parseDocument } from './config/document.js';
export type { Environment } from './config/env.js';
export type {
  ApiSection,
  Authentication,
  ConfigSection,
  Configuration,
  JobSection,
  Pagination,
} from './configuration.js';
export {
  type ErrorCode,
  ExtractError,
  type ExtractErrorOptions,
  errorCodes,
  type Problem,
  type Where,
} from './errors.js';
export { type Exact, type ExactArray, ExactNumber, type ExactObject, fromPlain, stringifyExact } from './exact.js';
export { extract, run } from './extract.js';
export type { ExtractOptions, RunOptions } from './extract-options.js';
export type { Extraction, JobExtraction } from './extraction.js';
export type { FaceOptions, Faces, ReadableAs, ReadableOptions } from './faces/face.js';
export type { ReadableOf } from './faces/readable.js';
export type { Piece } from './page/spool.js';
export { parseConfiguration } from './parse-configuration.js';
export { type Checkpoint, type CheckpointOptions, openCheckpoint } from './state/checkpoint.js';
export { stateFolder } from './state/folder.js';
export type { OpenStore, Part, Store } from './state/store.js';
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
} from './types.js';
export type { BoundOptions } from './walk/bounds.js';
export type { OutputNaming } from './walk/output-names.js';
export type { JobSummary, Summary } from './walk/totals.js';
