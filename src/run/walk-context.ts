/** One walk to be made, and what all walks of a run share. */
import type { Turn } from '../../operators/in-turn.js';
import type { RowPlace } from '../checkpoint/records.js';
import type { Walk } from '../checkpoint/walks.js';
import type { Row } from '../config/children/row.js';
import type { JobConfig } from '../config/config.js';
import type { Client } from '../http/api-client.js';
import type { Instance } from '../http/instances.js';
import type { Engine } from './engine.js';
import type { Totals } from './job-stats.js';
import { type Bounds, boundNotice } from './limits.js';
import type { Budget } from './page-buffer.js';
import type { Output } from './page-target.js';

/** What all walks of a run share. */
export interface Run {
  readonly engine: Engine;
  readonly client: Client;
  readonly totals: Pick<Totals, 'start' | 'spend' | 'add' | 'end' | 'bound' | 'leaveOut' | 'halt'>;
  /** How many walks go side by side: jobs, and children of one page. */
  readonly atOnce: number;
  /** Bounds the requests in flight. */
  readonly slot: Turn;
  readonly budget: Budget;
  readonly bounds: Bounds;
}

/** One walk to be made. */
export interface Branch {
  readonly config: JobConfig;
  readonly output: Output;
  /** What its placeholders stand for. */
  readonly instance: Instance;
  /** The rows above it, that of the direct parent first. */
  readonly ancestors: readonly Row[];
  /** The top-level job that it belongs to, and the way from there. */
  readonly top: string;
  readonly at: readonly RowPlace[];
  /** Where an earlier run has left it. */
  readonly from?: Walk | undefined;
}

/** Whether no walk of the job may begin any more, which is told then. */
export function isBounded({ engine, bounds, totals }: Run, { name }: JobConfig): boolean {
  const reason = bounds.reached(name);
  if (reason === undefined) return false;
  totals.bound(name, reason);
  engine.notify(boundNotice(name, reason));
  return true;
}
