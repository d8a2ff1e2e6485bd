/** Maps data types to the names that sinks get, with the bucket in front if that is chosen, and back. */
import { borrowing, isBorrowing } from '../../../sinks/borrowing.js';
import type { Sink, SinkOutput } from '../../../sinks/contract.js';
import { holdsLetters } from '../../../sinks/decorators/dead-letters.js';
import { symbolsOf } from '../../../sinks/delegate.js';
import { filterRow, type ResponseFilter } from '../../config/children/response-filter.js';
import type { OutputNaming, TableSettings } from '../../config/table-settings.js';
import type { Exact } from '../../core/json/exact.js';
import type { JobTables } from '../../core/tables/job-tables.js';
import type { ListForm } from '../../core/tables/list-rules.js';
import { defined } from '../../core/util/defined.js';

interface NamedJob {
  readonly name: string;
  readonly dataType: string;
}

interface FilteredJob extends NamedJob {
  readonly responseFilter: ResponseFilter;
  readonly lists?: Readonly<Record<string, ListForm>>;
  readonly download?: object;
}

/** A data type to open, with its job. */
export interface JobOutput extends NamedJob {
  readonly tables?: JobTables;
  /** The base URL of the API. */
  readonly address?: string;
  /** Its items have files. */
  readonly hasFiles?: true;
}

/** The jobs of one bucket. */
interface BucketJobs {
  readonly tables: TableSettings;
  readonly jobs: readonly FilteredJob[];
  /** The base URL of the API. */
  readonly address?: string;
}

export interface OutputNames {
  /** The name that sinks get. Names with buckets are unique: two pairs of bucket and data type never share one. */
  nameOf(dataType: string, bucket: string | undefined): string;
  /** The sink under the data types of one bucket. */
  within(sink: Sink, bucket: string | undefined): Sink;
  /** The outputs to open for these jobs, with the name of each job. */
  outputsOf(clients: readonly BucketJobs[], jobs: readonly NamedJob[]): readonly JobOutput[];
  /** Gives outputs the data types of their jobs again. */
  withDataTypes(outputs: readonly SinkOutput[]): readonly SinkOutput[];
}

/** Starts without names. */
export function createOutputNames(naming: OutputNaming = 'dataType'): OutputNames {
  const pairs = new Map<string, { readonly key: string; readonly dataType: string }>();

  const nameOf = (dataType: string, bucket: string | undefined): string => {
    if (naming === 'dataType') return dataType;
    const key = JSON.stringify([bucket, dataType]);
    const base = bucket === undefined ? dataType : `${bucket}.${dataType}`;
    let name = base;
    // Both parts may contain a dot: `a.b` and `c` would collide with `a` and `b.c`.
    for (let number = 2; (pairs.get(name)?.key ?? key) !== key; number += 1) name = `${base}#${number}`;
    pairs.set(name, { key, dataType });
    return name;
  };

  return {
    nameOf,
    within: (sink, bucket) => (naming === 'dataType' ? sink : renamed(sink, (dataType) => nameOf(dataType, bucket))),
    outputsOf: (clients, jobs) =>
      clients.flatMap(({ tables, jobs: own, address }) =>
        own
          .filter((job) => jobs.includes(job))
          .map((job) => ({
            name: job.name,
            dataType: nameOf(job.dataType, tables.bucket),
            tables: tablesOf(job, tables),
            ...defined({ address, hasFiles: job.download === undefined ? undefined : (true as const) }),
          })),
      ),
    withDataTypes: (outputs) =>
      outputs.map((output) => ({ ...output, dataType: pairs.get(output.dataType)?.dataType ?? output.dataType })),
  };
}

function tablesOf({ dataType, responseFilter, ...job }: FilteredJob, settings: TableSettings): JobTables {
  const { bucket, mappings, isIncremental, level } = settings;
  const filter = responseFilter.length === 0 ? undefined : (item: Exact) => filterRow(item, responseFilter, level < 3);
  const lists = job.lists === undefined ? undefined : new Map(Object.entries(job.lists));
  return { dataType, mappings, isIncremental, level, ...defined({ bucket, filter, lists }) };
}

/** Calls methods on the sink itself, which may be an object of a class. */
function renamed(sink: Sink, nameOf: (dataType: string) => string): Sink {
  const { recovery, keepBytes, positions, file, prepare, commit, rollback, durable, leave } = sink;
  const rename = <T extends { readonly dataType: string }>(named: T): T => ({
    ...named,
    dataType: nameOf(named.dataType),
  });
  const write: Sink['write'] = (batch, signal) => sink.write(rename(batch), signal);
  return {
    ...defined({ recovery, keepBytes }),
    ...(positions === undefined ? {} : { positions: () => positions.call(sink) }),
    open: (dataType, job, opening) => sink.open?.(nameOf(dataType), job, opening),
    write: isBorrowing(sink.write) ? borrowing(write) : write,
    ...(file === undefined ? {} : { file: (place) => file.call(sink, rename(place)) }),
    ...(prepare === undefined ? {} : { prepare: (page, signal) => prepare.call(sink, rename(page), signal) }),
    ...(commit === undefined ? {} : { commit: (page, signal) => commit.call(sink, rename(page), signal) }),
    ...(rollback === undefined ? {} : { rollback: (dataType) => rollback.call(sink, nameOf(dataType)) }),
    ...(durable === undefined ? {} : { durable: () => durable.call(sink) }),
    close: (closing) => sink.close(closing),
    ...(leave === undefined ? {} : { leave: () => leave.call(sink) }),
    abort: (reason) => sink.abort(reason),
    ...(holdsLetters(sink) ? symbolsOf(sink) : {}),
  };
}
