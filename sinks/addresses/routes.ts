/** Sends each data type to its sinks: a sink with names gets those data types, one without gets the others. */
import { usageError } from '../../src/core/util/check-value.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import type { Closing, Sink } from '../contract.js';
import { all } from '../decorators/fan-out.js';
import { delegate } from '../delegate.js';

export interface Route {
  readonly to: Sink;
  /** The data types that it gets. Absent: those that no other route names. */
  readonly dataTypes?: readonly string[];
}

const named = Symbol('data types');
const accepting = Symbol('accepts');

type Accepts = (dataType: string) => boolean;

interface DataTyped {
  readonly dataType: string;
}

/** A sink that gets some data types only. */
interface RoutedSink extends Sink {
  /** Absent: the others. */
  readonly [named]: ReadonlySet<string> | undefined;
  readonly [accepting]: Accepts;
}

/** The sinks that get the data type. */
export const sinksFor = (sinks: readonly Sink[], dataType: string): readonly Sink[] =>
  sinks.filter((sink) => !isRouted(sink) || sink[accepting](dataType));

const isRouted = (sink: Sink): sink is RoutedSink => named in sink;

/**
 * Combines sinks like `all`, each with its data types. A run checks that every data type has a sink, and that every
 * named data type exists. Throws ERR_USAGE for an empty list.
 */
export function routes(given: readonly Route[]): Sink {
  const taken = new Set(given.flatMap(({ dataTypes = [] }) => dataTypes));
  if (taken.size === 0) return all(given.map(({ to }) => to));
  return all(
    given.map(({ to, dataTypes }) => {
      const own = dataTypes === undefined ? undefined : new Set(dataTypes);
      const accepts = (dataType: string) => own?.has(dataType) ?? !taken.has(dataType);
      return restricted(to, accepts, own);
    }),
  );
}

/**
 * Checks the routes of a run: `every` has the jobs of the configuration, `chosen` those that run. Throws ERR_USAGE
 * with the nearest data type.
 */
export function checkRoutes(sinks: readonly Sink[], every: readonly DataTyped[], chosen: readonly DataTyped[]): void {
  const known = every.map(({ dataType }) => dataType);
  const routed = sinks.filter(isRouted);
  if (routed.length === 0) return;
  const taken = new Set(routed.flatMap((sink) => [...(sink[named] ?? [])]));
  for (const name of taken) {
    if (known.includes(name)) continue;
    const list = [...new Set(known)].join(', ');
    throw usageError(
      `no job has the data type "${name}" of --to ${name}=...: the data types are ${list}${didYouMean(name, known)}`,
    );
  }
  if (routed.some((sink) => sink[named] === undefined)) return;
  const lost = chosen.find(({ dataType }) => !taken.has(dataType))?.dataType;
  if (lost === undefined) return;
  const hint = didYouMean(lost, taken);
  throw usageError(
    `no sink for the data type "${lost}": add --to ${lost}=URI, or a --to without a name for the rest${hint}`,
  );
}

/** Passes on the calls for some data types. A sink with transactions stores the position of every page. */
function restricted(sink: Sink, accepts: Accepts, own: RoutedSink[typeof named]): RoutedSink {
  const { file, prepare, commit, rollback, published, replacesOutput } = sink;
  const changes: Partial<Sink> = {
    open: (dataType, job, opening) => (accepts(dataType) ? sink.open?.(dataType, job, opening) : undefined),
    write: (batch, signal) => (accepts(batch.dataType) ? sink.write(batch, signal) : undefined),
    ...(file === undefined
      ? {}
      : { file: async (place) => (accepts(place.dataType) ? file.call(sink, place) : undefined) }),
    ...(prepare === undefined
      ? {}
      : { prepare: (page, signal) => (accepts(page.dataType) ? prepare.call(sink, page, signal) : undefined) }),
    ...(commit === undefined ? {} : { commit: commitOf(sink, accepts) }),
    ...(rollback === undefined
      ? {}
      : { rollback: (dataType) => (accepts(dataType) ? rollback.call(sink, dataType) : undefined) }),
    ...(published === undefined
      ? {}
      : { published: (dataType) => (accepts(dataType) ? published.call(sink, dataType) : []) }),
    ...(replacesOutput === undefined
      ? {}
      : { replacesOutput: (dataType: string) => accepts(dataType) && replacesOutput.call(sink, dataType) }),
    close: (closing) => sink.close(closing === undefined ? undefined : kept(closing, accepts)),
  };
  return Object.assign(delegate(sink, changes), { [named]: own, [accepting]: accepts });
}

function commitOf(sink: Sink, accepts: Accepts): NonNullable<Sink['commit']> {
  return (page, signal) => {
    if (accepts(page.dataType)) return sink.commit?.(page, signal);
    const isHolder = sink.recovery === 'transaction' && page.keep !== undefined;
    return isHolder ? sink.commit?.({ ...page, count: 0, bytes: 0 }, signal) : undefined;
  };
}

const kept = ({ keep, complete = new Set() }: Closing, accepts: Accepts): Closing => ({
  keep: new Set([...keep].filter(accepts)),
  complete: new Set([...complete].filter(accepts)),
});
