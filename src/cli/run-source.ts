/** What a run reads and where its items go: a CONFIG with sinks of the command line, or a data folder with sinks of its own. */

import type { Sink } from '../core/model/types.js';
import type { Summary } from '../run/job-stats.js';
import type { ExtractOptions } from '../run/options.js';
import type { Document } from './document.js';

export interface Source extends Document {
  readonly to: Sink;
  readonly options: Pick<ExtractOptions, 'state' | 'outputNames' | 'cacheFolder' | 'dataFolder'>;
  /** Keeps what the next run is to know. Called once, when the whole run has succeeded. */
  keep(state: object, summary: Summary): Promise<void>;
}
