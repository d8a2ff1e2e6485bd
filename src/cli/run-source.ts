import type { Sink } from '../../sinks/contract.js';
import type { Summary } from '../run/job-stats.js';
import type { ExtractOptions } from '../run/options.js';
import type { Document } from './document.js';

export interface Source extends Document {
  readonly to: Sink;
  readonly options: Pick<ExtractOptions, 'state' | 'outputNames' | 'cacheFolder' | 'dataFolder'>;
  /** Keeps what the next run is to know. Called once, when the whole run has succeeded. */
  keep(state: object, summary: Summary): Promise<void>;
}
