/** What a sink of tables knows of a job before its items. */
import type { Exact } from '../json/exact.js';
import type { ListForms } from './list-rules.js';
import type { TableMappings } from './mapping.js';

/** The table settings of a job. */
export interface JobTables {
  /** Without the bucket. */
  readonly dataType: string;
  /** The prefix of the files, and of the destinations in manifests. */
  readonly bucket?: string;
  /** All mappings of the configuration: also of data types that no job has. */
  readonly mappings: TableMappings;
  /** Whether the rows are added to those of the last load. */
  readonly isIncremental: boolean;
  /** `compatLevel`: 1 has the names of the oldest layout. */
  readonly level: number;
  /** What becomes of lists in the items; absent: what the sink makes of them. */
  readonly lists?: ListForms;
  /** Applies `responseFilter`. Absent: items stay as they are. Throws ERR_FILTER. */
  readonly filter?: (item: Exact) => Exact;
}
