/** The settings of a measurement. */

import type { ApiShape } from './shape.js';

export interface Sweep {
  /** A numeric option of `run`. */
  readonly option: string;
  readonly values: readonly string[];
}

export interface MeasureSettings {
  /** Runs that count. */
  readonly repeat: number;
  /** Runs before them. */
  readonly warmUp: number;
  readonly sweeps: readonly Sweep[];
  /** The generated API; undefined: the API of the configuration. */
  readonly server: ApiShape | undefined;
  /** Schemes of sinks, as the result names them. */
  readonly to: readonly string[];
}
