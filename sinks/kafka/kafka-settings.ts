/** The settings of the Kafka sink: its options, in an address and in code. */

import zlib from 'node:zlib';
import type { GivenOptions, OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { flag, nonEmptyText, seconds, whole, word } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { hosts, template } from '../addresses/kinds.js';
import { readHosts } from '../addresses/server-address.js';
import { type NameTemplate, readTemplate } from '../addresses/templates.js';
import type { Destination } from '../entry.js';
import { envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { credentials } from '../servers/credentials.js';
import { connectionOptions, loadTls, tlsByScheme } from '../servers/tls.js';
import type { KafkaServer } from './kafka-protocol.js';
import { isTopicName, type TopicRules, topicNameRule } from './kafka-topics.js';

const mechanisms = { plain: 'PLAIN', 'scram-sha-256': 'SCRAM-SHA-256', 'scram-sha-512': 'SCRAM-SHA-512' } as const;

export const kafkaOptions = {
  servers: {
    kind: hosts,
    summary: '`HOST:PORT`, or a list of brokers of one cluster; without a port it is 9092',
    required: true,
  },
  topic: {
    kind: template,
    summary: 'the topic of each item, with `{dataType}`, `{job}` and `{item.PATH}`',
    required: true,
  },
  ...credentials,
  key: {
    kind: template,
    summary:
      'the key of each message, such as `item.id` or `{dataType}-{item.id}`: messages with one key are in one partition, in their order',
    otherwise: 'messages have no key, and those of a job are in one partition',
  },
  transactions: {
    kind: flag,
    summary:
      'store each page and its position in one transaction; `false`: an idempotent producer, and the guarantee is at least once',
    default: false,
  },
  compression: {
    kind: word('none', 'gzip', 'snappy', 'lz4', 'zstd'),
    summary: 'how batches are compressed; `zstd` needs Node 22.15 or newer',
    default: 'none',
  },
  sasl: {
    kind: word('plain', 'scram-sha-256', 'scram-sha-512'),
    summary: 'how user and password are sent',
    otherwise: '`plain`',
  },
  create: { kind: flag, summary: 'create topics that are missing', default: true },
  partitions: {
    kind: whole(1, 100_000),
    summary: 'how many partitions a new topic has',
    otherwise: 'as the server says',
  },
  replication: {
    kind: whole(1, 100),
    summary: 'how many replicas a new topic has',
    otherwise: 'as the server says',
  },
  positions: {
    kind: nonEmptyText,
    summary: 'with transactions: the compacted topic that stores the positions of runs',
    default: 'rxtract-positions',
  },
  timeout: {
    kind: seconds(86_400),
    summary:
      'with transactions: how many seconds the transaction of a page may take; those of a killed process end after it',
    default: 60,
  },
  ...envelopeOptions,
  ...connectionOptions,
} as const satisfies OptionRows;

/** The options of `kafka`. */
export interface KafkaOptions extends GivenOptions<typeof kafkaOptions> {}

type Options = OptionsOf<typeof kafkaOptions>;

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

/** Throws ERR_USAGE for options that do not go together. */
export function settingsOf(options: Options, destination: Destination): KafkaSettings {
  const { topic: path, key, positions, transactions, create, partitions, replication, timeout, envelope } = options;
  const topic = readTemplate(path, { what: 'kafka: the topic', escape: nameOf });
  if (topic.isConstant) mustBeTopic('the topic', topic.text);
  mustBeTopic('positions', positions);
  const tls = tlsByScheme(options, destination, 'kafkas');
  return {
    server: {
      hosts: readHosts(options.servers, 'kafka', 9092),
      tls: tls === undefined ? undefined : () => loadTls(tls, 'kafka'),
      ...saslOf(options),
    },
    topic,
    key: keyOf(key),
    compression: compressionOf(options),
    rules: {
      mayCreate: create,
      configs: {},
      rights: ['Write'],
      partitions: partitions ?? -1,
      replication: replication ?? -1,
    },
    positions,
    timeoutMs: timeout * 1000,
    hasTransactions: transactions,
    form: readEnvelope(options, destination),
    headers: envelope === 'none' ? new Map() : eventHeaders,
    identity: JSON.stringify([path, key ?? '', envelope]),
    shown: destination.shown,
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
function keyOf(text: string | undefined): NameTemplate | undefined {
  if (text === undefined) return undefined;
  const template = /^item\.[^{}]+$/.test(text) ? `{${text}}` : text;
  return readTemplate(template, { what: 'kafka: the key', escape: (value) => value });
}

function compressionOf({ compression }: Options): string | undefined {
  if (compression === 'zstd' && !('zstdCompressSync' in zlib)) {
    throw usageError('kafka: compression: zstd needs Node 22.15 or newer: choose gzip, snappy or lz4');
  }
  return compression === 'none' ? undefined : compression;
}

function saslOf({ sasl, user: username, password }: Options): Pick<KafkaServer, 'sasl'> {
  if (username !== undefined && password !== undefined) {
    return { sasl: { mechanism: mechanisms[sasl ?? 'plain'], username, password } };
  }
  if (username === undefined && password === undefined && sasl === undefined) return {};
  throw usageError('kafka: expected USER:PASSWORD@ before the host');
}

function mustBeTopic(what: string, name: string): void {
  if (!isTopicName(name)) throw usageError(`kafka: ${what} is ${topicNameRule(name)}`);
}
