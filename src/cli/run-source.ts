import type { Sink } from '../../sinks/contract.js';
import type { Summary } from '../run/job-stats.js';
import type { ExtractOptions } from '../run/options.js';
import type { Document } from './document.js';

export interface Source extends Document {
  readonly to: Sink;
  readonly options: Pick<ExtractOptions, 'state' | 'outputNames' | 'cacheFolder' | 'dataFolder'>;
  /** Stores the state for the next run. Called once, after the whole run has succeeded. */
  keep(state: object, summary: Summary): Promise<void>;
}
