/** The sinks of the command line, by the name of their address: one file or folder, and one line here, each. */
import { resolve } from 'node:path';
import { ExtractError } from '../src/core/errors/errors.js';
import { usageError } from '../src/core/util/check-value.js';
import { didYouMean } from '../src/core/util/suggest.js';
import { schemeOf, withoutUserInformation } from './addresses/address.js';
import { sinkFrom } from './addresses/address-secrets.js';
import { readAddress } from './addresses/options.js';
import type { Sink } from './contract.js';
import { csvEntry } from './csv/csv.js';
import { duckdbEntry } from './duckdb/duckdb.js';
import type { SinkContext, SinkEntry } from './entry.js';
import { ndjsonEntry } from './files/ndjson.js';
import { httpEntry } from './http/http.js';
import { kafkaEntry } from './kafka/kafka.js';
import { natsEntry } from './nats/nats.js';
import { nullEntry } from './null.js';
import { parquetEntry } from './parquet/parquet.js';
import { partsEntry, s3Entry as partsInS3Entry } from './parts/parts-sink.js';
import { postgresEntry } from './postgres/postgres.js';
import { rabbitEntry } from './rabbitmq/rabbitmq.js';
import { redisEntry } from './redis/redis.js';
import { tablesEntry } from './related-tables/tables.js';
import { s3Entry } from './s3/s3.js';
import { stdoutEntry } from './stdout.js';

export const sinks = {
  ndjson: ndjsonEntry,
  stdout: stdoutEntry,
  null: nullEntry,
  tables: tablesEntry,
  csv: csvEntry,
  parquet: parquetEntry,
  duckdb: duckdbEntry,
  parts: partsEntry,
  'parts+s3': partsInS3Entry,
  http: httpEntry,
  kafka: kafkaEntry,
  nats: natsEntry,
  postgres: postgresEntry,
  amqp: rabbitEntry,
  redis: redisEntry,
  s3: s3Entry,
};

const entries: readonly (readonly [name: string, entry: SinkEntry])[] = Object.entries<SinkEntry>(sinks);

/**
 * Creates the sink of an address such as `ndjson:out`: a scheme before the first colon, a target, and options
 * `?name=value`. Opens nothing yet. Throws ERR_USAGE with the known addresses and the nearest scheme or option.
 */
export function sinkFromUri(uri: string, context: SinkContext = {}): Sink {
  const scheme = schemeOf(uri);
  const found = named(scheme ?? uri);
  if (found === undefined) {
    const message = `unknown sink "${withoutUserInformation(uri)}": expected ${forms()}${hint(uri, scheme ?? uri)}`;
    throw usageError(message).at({ remedy: '`rxtract sinks` lists them, with their options.' });
  }
  const [name, entry] = found;
  try {
    mustHaveTarget(uri, scheme, entry);
    const { options, destination } = readAddress(uri, entry, context);
    const open = (address: string) => sinkFromUri(address, context);
    return sinkFrom(destination, () => entry.create(options, { ...destination, open }));
  } catch (thrown) {
    const remedy = `\`rxtract help ${name}\` describes this address and its options.`;
    throw thrown instanceof ExtractError && thrown.code === 'ERR_USAGE' ? thrown.at({ remedy }) : thrown;
  }
}

/** Throws ERR_USAGE for an address without what its colon needs, or with more. */
function mustHaveTarget(uri: string, scheme: string | undefined, { address, example }: SinkEntry): void {
  const { form, target } = address;
  if (scheme === undefined) throw usageError(`"${uri}" is not a sink address: expected ${form}, with its colon`);
  const rest = targetIn(uri);
  if (target === 'nothing' && rest !== '') throw usageError(`unexpected "${rest}" after ${form}`);
  const isEmpty = target !== 'nothing' && rest === '';
  if (isEmpty && !uri.includes('?')) throw usageError(`${scheme}: needs a ${target}, as in ${example}`);
  if (rest !== '-' || target !== 'directory' || scheme === 'ndjson') return;
  throw usageError(
    `${scheme}:- would be standard output, which only ndjson:- can be. A directory of that name is ${scheme}:./-`,
  );
}

/** What is between the scheme and the options. */
const targetIn = (uri: string): string => /^[^:]*:([^?]*)/.exec(uri)?.[1] ?? '';

/** Whether the sink of an address has a client library, which makes objects for each item. */
export const hasClient = (uri: string): boolean => named(schemeOf(uri) ?? '')?.[1].packages !== undefined;

/** The directory of an address that writes files into one, such as `ndjson:out`; undefined for all other addresses. */
export function folderOf(uri: string): string | undefined {
  const folder = outputOf(uri, 'directory')?.path;
  return folder === '-' ? undefined : folder;
}

/** The file of an address of a database, in which one sink of a run can write; undefined for other addresses. */
export const databaseOf = (uri: string): string | undefined => outputOf(uri, 'file')?.path;

/**
 * Where an address writes: equal for all spellings of one directory or file, if the names of what is written there are
 * equal too. Two sinks of a run cannot write to one place.
 */
export function outputPlace(uri: string): string {
  const path = folderOf(uri) ?? databaseOf(uri);
  if (path === undefined) return uri;
  const output = outputOf(uri, 'directory') ?? outputOf(uri, 'file');
  return [schemeOf(uri), resolve(path), output?.names].join(' ');
}

/**
 * The path of an address with such a target, and what its names depend on; undefined for others. Of an address with
 * wrong options, which is an error when its sink is created, only the path.
 */
function outputOf(uri: string, target: 'directory' | 'file') {
  const entry = named(schemeOf(uri) ?? '')?.[1];
  if (entry?.address.target !== target) return undefined;
  try {
    const { options } = readAddress(uri, entry, {});
    const path = new Map<string, unknown>(Object.entries(options)).get(entry.address.parts?.target ?? '');
    return { path: String(path), names: entry.outputNames?.(options) };
  } catch {
    return { path: targetIn(uri), names: undefined };
  }
}

/** The name and the entry of a scheme. */
const named = (scheme: string) =>
  entries.find(([name, { address }]) => name === scheme || address.schemes?.includes(scheme) === true);

/** Names that other tools have for the same destinations. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    rabbitmq: 'amqp',
    rabbit: 'amqp',
    rabbitmqs: 'amqps',
    jetstream: 'nats',
    webhook: 'https',
    pg: 'postgres',
    psql: 'postgres',
    pgsql: 'postgres',
    file: 'ndjson',
    json: 'ndjson',
    jsonl: 'ndjson',
  }),
);

function hint(uri: string, scheme: string): string {
  if (uri === '') return '';
  if (uri === '-') return '; did you mean "stdout:"?';
  const other = otherNames.get(scheme);
  if (other !== undefined) return `; did you mean "${other}:"?`;
  const isPath = !uri.includes(':') || /^[A-Za-z]:[\\/]/.test(uri);
  return didYouMean(scheme, Object.keys(sinks)) || (isPath ? `; did you mean "ndjson:${uri}"?` : '');
}

/** The addresses without their details. */
function forms(): string {
  const uris = Object.values(sinks).map(({ address }) => address.form.replace(/\/\/.*/, ''));
  return `${uris.slice(0, -1).join(', ')} or ${uris.at(-1)}`;
}
