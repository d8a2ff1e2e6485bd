/** The public names of the sinks. */
export type {
  Batch,
  Closing,
  Earlier,
  Guarantee,
  Mark,
  Notice,
  Notify,
  Opening,
  Sink,
  SinkFunction,
  SinkOutput,
} from '../src/core/model/types.js';
export { batchOf } from './batch.js';
export { type Check, type CheckOptions, checkSink } from './conformance.js';
export { isClosedPipe } from './errors.js';
export { all } from './fan-out.js';
export { fromFunction } from './from-function.js';
export { type MemorySink, memory } from './memory.js';
export { type NdjsonOptions, ndjson } from './ndjson.js';
export { nullSink } from './null.js';
export type { OpenFile } from './output-file.js';
export { type SinkContext, type SinkEntry, sinkFromUri, sinks } from './registry.js';
export { stdout } from './stdout.js';
export { type Transform, through } from './through.js';
export { filterItems, type ItemOptions, mapExact, mapItems, tapBatches, tapItems } from './transforms.js';
