/** The settings of the Kafka sink: its options, in an address and in code. */

import zlib from 'node:zlib';
import { usageError } from '../../src/core/util/check-value.js';
import type { AddressOptions, SinkAddress } from '../addresses/address.js';
import type { ServerUser } from '../addresses/address-of.js';
import { countOption, flagOption, readServer, textOption, wordOption } from '../addresses/server-address.js';
import { type NameTemplate, readTemplate } from '../addresses/templates.js';
import { type EnvelopeOptions, envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { loadTls, mustNotHaveTls, readTls, type TlsFiles, tlsOptions } from '../servers/tls.js';
import type { KafkaServer } from './kafka-protocol.js';
import { isTopicName, type TopicRules, topicNameRule } from './kafka-topics.js';

const mechanisms = { plain: 'PLAIN', 'scram-sha-256': 'SCRAM-SHA-256', 'scram-sha-512': 'SCRAM-SHA-512' } as const;

const compressions = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/** The options of its address. */
export const kafkaOptions = {
  key: {
    summary:
      'the key of each message, such as `item.id` or `{dataType}-{item.id}`: messages with one key are in one partition, in their order',
    type: 'a name',
    otherwise: 'messages have no key, and those of a job are in one partition',
  },
  transactions: {
    summary:
      'store each page and its position in one transaction; `false`: an idempotent producer, and the guarantee is at least once',
    type: '`true` or `false`',
    default: 'false',
  },
  compression: {
    summary: 'how batches are compressed; `zstd` needs Node 22.15 or newer',
    type: '`none`, `gzip`, `snappy`, `lz4` or `zstd`',
    default: 'none',
  },
  sasl: {
    summary: 'how user and password are sent',
    type: '`plain`, `scram-sha-256` or `scram-sha-512`',
    default: 'plain',
  },
  create: { summary: 'create topics that are missing', type: '`true` or `false`', default: 'true' },
  partitions: {
    summary: 'how many partitions a new topic has',
    type: 'a whole number',
    otherwise: 'as the server says',
  },
  replication: {
    summary: 'how many replicas a new topic has',
    type: 'a whole number',
    otherwise: 'as the server says',
  },
  positions: {
    summary: 'with transactions: the compacted topic that stores the positions of runs',
    type: 'a name',
    default: 'rxtract-positions',
  },
  timeout: {
    summary:
      'with transactions: how many seconds the transaction of a page may take; those of a killed process end after it',
    type: 'a whole number',
    default: '60',
  },
  ...envelopeOptions,
  ...tlsOptions,
} as const satisfies AddressOptions;

/** The options of `kafka`. */
export interface KafkaOptions extends ServerUser, EnvelopeOptions, TlsFiles {
  /** `HOST:PORT`, or a list of brokers of one cluster. The port is 9092 if it is left out. */
  readonly servers: string | readonly string[];
  /** The topic of each item, with `{dataType}`, `{job}` and `{item.PATH}`; `%7B` is a brace. */
  readonly topic: string;
  /** The connections use TLS. Default: false. */
  readonly tls?: boolean;
  /** How user and password are sent. Default: `plain`. */
  readonly sasl?: keyof typeof mechanisms;
  /** The key of each message, such as `item.id`. Default: none, and the messages of a job are in one partition. */
  readonly key?: string;
  /** Each page and its position are one transaction: exactly once. Default: false. */
  readonly transactions?: boolean;
  /** Default: `none`. `zstd` needs Node 22.15 or newer. */
  readonly compression?: (typeof compressions)[number];
  /** Create topics that are missing. Default: true. */
  readonly create?: boolean;
  /** How many partitions a new topic has. Default: as the server says. */
  readonly partitions?: number;
  /** How many replicas a new topic has. Default: as the server says. */
  readonly replication?: number;
  /** With transactions: the compacted topic that stores the positions of runs. Default: `rxtract-positions`. */
  readonly positions?: string;
  /** With transactions: how many seconds the transaction of a page may take. Default: 60. */
  readonly timeout?: number;
}

export interface KafkaSettings {
  readonly server: KafkaServer;
  readonly topic: NameTemplate;
  readonly key: NameTemplate | undefined;
  readonly compression: string | undefined;
  readonly rules: TopicRules;
  readonly positions: string;
  readonly timeoutMs: number;
  readonly hasTransactions: boolean;
  readonly form: MessageForm;
  readonly headers: ReadonlyMap<Buffer, Buffer>;
  readonly identity: string;
  readonly shown: string;
}

/** Reads an address. Throws ERR_USAGE. */
export function settingsOf(address: SinkAddress): KafkaSettings {
  const { hosts, path, user, password } = readServer(address, 9092);
  const topic = readTemplate(path, { what: 'kafka: the topic', escape: nameOf });
  if (topic.text === '')
    throw usageError('kafka: expected a topic after the host, such as kafka://localhost:9092/items');
  if (topic.isConstant) mustBeTopic('the topic', topic.text);
  const positions = textOption(address, 'positions') ?? kafkaOptions.positions.default;
  mustBeTopic('positions', positions);
  const hasTransactions = flagOption(address, 'transactions', false);
  const mayCreate = flagOption(address, 'create', true);
  const envelope = address.options.get('envelope') ?? 'none';
  return {
    server: { hosts, tls: tlsOf(address), ...saslOf(address, user, password) },
    topic,
    key: keyOf(address),
    compression: compressionOf(address),
    rules: {
      mayCreate,
      configs: {},
      rights: ['Write'],
      partitions: countOption(address, 'partitions', 100_000) ?? -1,
      replication: countOption(address, 'replication', 100) ?? -1,
    },
    positions,
    timeoutMs: (countOption(address, 'timeout', 86_400) ?? Number(kafkaOptions.timeout.default)) * 1000,
    hasTransactions,
    form: readEnvelope(address),
    headers: envelope === 'none' ? new Map() : eventHeaders,
    identity: JSON.stringify([path, address.options.get('key') ?? '', envelope]),
    shown: address.shown,
  };
}

/** The header of an event in structured mode: CloudEvents, Kafka Protocol Binding 1.0, section 3.3. */
const eventHeaders: ReadonlyMap<Buffer, Buffer> = new Map([
  [Buffer.from('content-type'), Buffer.from('application/cloudevents+json; charset=UTF-8')],
]);

/** A value as a part of a name: `.` and two digits stand for a byte that is no letter, digit, `_` or `-`. */
const nameOf = (value: string): string =>
  value.replace(/[^\w-]/gu, (each) =>
    [...Buffer.from(each)].map((byte) => `.${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/** `item.id` is short for `{item.id}`. */
function keyOf({ options }: SinkAddress): NameTemplate | undefined {
  const text = options.get('key');
  if (text === undefined) return undefined;
  const template = /^item\.[^{}]+$/.test(text) ? `{${text}}` : text;
  return readTemplate(template, { what: 'kafka: the key', escape: (value) => value });
}

function compressionOf(address: SinkAddress): string | undefined {
  const word = wordOption(address, 'compression', compressions);
  if (word === 'zstd' && !('zstdCompressSync' in zlib)) {
    throw usageError('kafka: compression: zstd needs Node 22.15 or newer: choose gzip, snappy or lz4');
  }
  return word === 'none' ? undefined : word;
}

function saslOf(
  address: SinkAddress,
  username: string | undefined,
  password: string | undefined,
): Pick<KafkaServer, 'sasl'> {
  const word = wordOption(address, 'sasl', ['plain', 'scram-sha-256', 'scram-sha-512']);
  if (username !== undefined && password !== undefined) {
    return { sasl: { mechanism: mechanisms[word ?? 'plain'], username, password } };
  }
  if (username === undefined && password === undefined && word === undefined) return {};
  throw usageError('kafka: expected USER:PASSWORD@ before the host');
}

/** With `kafkas` a connection uses TLS, with these files. */
function tlsOf(address: SinkAddress): KafkaServer['tls'] {
  const files = readTls(address);
  if (address.scheme === 'kafkas') return () => loadTls(files ?? {}, 'kafka');
  mustNotHaveTls(files, 'kafka', 'use kafkas://, in code `tls: true`');
  return undefined;
}

function mustBeTopic(what: string, name: string): void {
  if (!isTopicName(name)) throw usageError(`kafka: ${what} is ${topicNameRule(name)}`);
}
