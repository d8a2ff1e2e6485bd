/** The option `to`: a sink, a function, an address, or a list of these. */
import { routes } from '../../../sinks/addresses/routes.js';
import type { Sink, SinkFunction } from '../../../sinks/contract.js';
import type { SinkContext } from '../../../sinks/entry.js';
import { sinkOf } from '../../../sinks/from-function.js';
import { readAddresses, routesOf } from '../../../sinks/open-addresses.js';

/** A place for items: a sink, a function, or an address such as `ndjson:out` or `users=ndjson:out`, as of `--to`. */
export type SinkTarget<Item = unknown> = Sink<Item> | SinkFunction<Item> | string;

/**
 * Creates the sink of a target, or of a list of them; opens nothing. Throws ERR_USAGE for an address, as the command
 * line does, and for an empty list.
 */
export function sinkOfTarget<Item>(to: SinkTarget<Item> | readonly SinkTarget<Item>[], context: SinkContext): Sink {
  const targets: readonly SinkTarget<Item>[] = isList(to) ? to : [to];
  const texts = targets.filter((each) => typeof each === 'string');
  const others = targets.filter((each) => typeof each !== 'string').map((each) => ({ to: sinkOf(each) }));
  return routes([...routesOf(readAddresses(texts, 'to'), 'to', context), ...others]);
}

const isList = (to: unknown): to is readonly unknown[] => Array.isArray(to);
