/** Creates the sinks of the addresses of a run, each for its data types. No two of them write the same output. */
import { decode } from '../src/core/url/percent.js';
import { usageError } from '../src/core/util/check-value.js';
import { withoutUserInformation } from './addresses/address.js';
import type { Route } from './addresses/routes.js';
import type { Sink } from './contract.js';
import type { SinkContext } from './entry.js';
import { databaseOf, outputPlace, sinkFromUri } from './registry.js';

/** An address with the data type in front of it. */
export interface NamedAddress {
  readonly dataType?: string;
  readonly uri: string;
}

/** The option that has the addresses, for messages: that of the command line, or that of code. */
export type TargetOption = '--to' | 'to';

/** Reads addresses such as `users=ndjson:out`. Throws ERR_USAGE for two of one output. */
export function readAddresses(given: readonly string[], option: TargetOption): readonly NamedAddress[] {
  const addresses = given.map((text) => readAddress(text, option));
  for (const [index, { uri, dataType }] of addresses.entries()) {
    const named = `${option} ${dataType === undefined ? '' : `${dataType}=`}${withoutSecrets(uri)}`;
    const earlier = addresses.slice(0, index).filter((each) => outputPlace(each.uri) === outputPlace(uri));
    const same = earlier.find((each) => each.dataType === dataType);
    if (same?.uri === uri) throw usageError(`${named} is given twice`);
    if (same !== undefined) throw usageError(`${named} and ${withoutSecrets(same.uri)} would write the same output`);
    if (databaseOf(uri) !== undefined && earlier.some((each) => each.uri !== uri)) throw oneDatabase(named, option);
  }
  return addresses;
}

const oneDatabase = (named: string, option: TargetOption) =>
  usageError(
    `${named}: another ${option} has this database, and one sink of a run can write to it: use one address, or another file`,
  );

/**
 * Creates the sinks, without a connection. An address that several data types have is one sink. Throws ERR_USAGE with
 * the known addresses and the nearest scheme or option.
 */
export function routesOf(
  addresses: readonly NamedAddress[],
  option: TargetOption,
  context: SinkContext,
): readonly Route[] {
  const uris = [...new Set(addresses.map(({ uri }) => uri))];
  const create = uris.length === 1 ? sinkFromUri : namedSink;
  return uris.map((uri) => ({ to: create(uri, context), ...typesOf(uri, addresses, option) }));
}

/** A sink among others: its notices have its name. */
function namedSink(uri: string, { notify, ...context }: SinkContext): Sink {
  const sink: Sink = sinkFromUri(uri, {
    ...context,
    ...(notify === undefined ? {} : { notify: (notice) => notify({ ...notice, sink: sink.name ?? 'a sink' }) }),
  });
  return sink;
}

/** The data types of one address; none if it is also given without a name. */
function typesOf(uri: string, addresses: readonly NamedAddress[], option: TargetOption): Pick<Route, 'dataTypes'> {
  const own = addresses.filter((each) => each.uri === uri).map(({ dataType }) => dataType);
  const dataTypes = own.filter((each) => each !== undefined);
  if (dataTypes.length === own.length) return { dataTypes };
  if (dataTypes.length === 0) return {};
  throw usageError(
    `${option} ${dataTypes[0]}=... has the address of a ${option} without a name: give it once, or add an option`,
  );
}

/** `NAME=` counts before the first colon only, and `%3A` in it is a colon. */
export function readAddress(text: string, option: TargetOption): NamedAddress {
  const [, name, uri = ''] = /^([^:=]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) return { uri: text };
  if (name === '')
    throw usageError(`${option} ${withoutSecrets(text)}: expected a data type before the "=", as in users=ndjson:out`);
  if (uri === '') throw usageError(`${option} ${name}=: expected an address after the "=", as in ${name}=ndjson:out`);
  return { dataType: decode(name.replaceAll('+', '%2B')), uri };
}

/** An address for messages: user information and values of headers are secrets. */
export const withoutSecrets = (uri: string): string =>
  withoutUserInformation(uri).replace(/(header\.[^=&]*=)[^&]*/g, '$1***');
