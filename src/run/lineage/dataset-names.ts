/** The names of datasets, by the conventions of OpenLineage: https://openlineage.io/docs/spec/naming. */
import { resolve } from 'node:path';
import type { NamedOutput } from '../../http/observer.js';

export interface DatasetName {
  readonly namespace: string;
  readonly name: string;
}

/** The API: its origin, and the path of an endpoint. */
export function inputName(address: string): DatasetName {
  const [, namespace = address, name = ''] = /^([a-z\d]+:\/\/[^/]*)\/?(.*)$/is.exec(address) ?? [];
  return { namespace, name: name === '' ? '/' : name };
}

/** What a sink has written; undefined: nothing that lasts, or the sink is a function. */
export function outputName({ sink, name }: Pick<NamedOutput, 'sink' | 'name'>): DatasetName | undefined {
  const scheme = sink.slice(0, sink.indexOf(':')).toLowerCase();
  if (name.startsWith('s3://')) return inputName(name);
  return namesOf.get(scheme)?.(name);
}

type NameOf = (name: string) => DatasetName | undefined;

const file: NameOf = (name) => ({ namespace: 'file', name: resolve(name) });

/** `TABLE at HOST:PORT/DATABASE`. */
const table: NameOf = (name) => {
  const [own, host] = parted(name, ' at ');
  const [place, database] = parted(host, '/');
  return { namespace: `postgres://${place}`, name: `${database}.${own}` };
};

/** `TABLE in FILE`. The conventions have no name for it. */
const tableInFile: NameOf = (name) => {
  const [own, path] = parted(name, ' in ');
  return { namespace: `duckdb://${resolve(path)}`, name: own };
};

/** `TOPIC at HOST:PORT,HOST:PORT`: a cluster has the name of its first host. */
const topicOf =
  (system: string): NameOf =>
  (name) => {
    const [own, hosts] = parted(name, ' at ');
    return { namespace: `${system}://${hosts.replace(/,.*/s, '')}`, name: own };
  };

/** The two parts of a text, at the last separator. */
function parted(text: string, separator: string): readonly [string, string] {
  const at = text.lastIndexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

const namesOf: ReadonlyMap<string, NameOf> = new Map([
  ...['ndjson', 'csv', 'parquet', 'tables'].map((scheme) => [scheme, file] as const),
  ...['postgres', 'postgresql'].map((scheme) => [scheme, table] as const),
  ['duckdb', tableInFile],
  ...['kafka', 'kafkas'].map((scheme) => [scheme, topicOf('kafka')] as const),
  ...['amqp', 'amqps'].map((scheme) => [scheme, topicOf('amqp')] as const),
  ...['redis', 'rediss'].map((scheme) => [scheme, topicOf('redis')] as const),
  ['nats', topicOf('nats')],
  ...['http', 'https'].map((scheme) => [scheme, inputName] as const),
]);
