/** Redis Streams: items of a page and the position after it in one transaction, or pipelined without one. */

import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import { usageError } from '../../src/core/util/check-value.js';
import { type AddressOptions, decodeText, type SinkAddress } from '../addresses/address.js';
import { addressOf, type ServerUser } from '../addresses/address-of.js';
import { sinkFrom } from '../addresses/address-secrets.js';
import { countOption, flagOption, hostText, readServer } from '../addresses/server-address.js';
import { countTargets, type NameTemplate, readTemplate } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import { absent, orAborted } from '../errors.js';
import { type EnvelopeOptions, envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { createMessageSink, describing, type Messages, messagesFrom } from '../servers/message-sink.js';
import { boundByMemory, mostPageBytes, pageTransactions } from '../servers/page-transactions.js';
import { mustNotHaveTls, readTls, type TlsFiles, tlsOptions } from '../servers/tls.js';
import { type RedisCommand, type RedisConnection, type RedisServer, redisError } from './redis-client.js';
import { createRedisSession } from './redis-session.js';

/** The options of its address. */
export const redisOptions = {
  stream: {
    summary: 'the key of the stream, with `{dataType}`, `{job}` and `{item.PATH}`',
    type: 'a name',
    required: true,
  },
  maxlen: {
    summary: 'about how many entries a stream keeps: older ones are removed',
    type: 'a whole number',
    otherwise: 'all',
  },
  transactions: {
    summary:
      'store each page and its position in one transaction; `false`: entries are pipelined, and the guarantee is at least once',
    type: '`true` or `false`',
    default: 'true',
  },
  create: { summary: 'create streams that are missing', type: '`true` or `false`', default: 'true' },
  ...envelopeOptions,
  ...tlsOptions,
} as const satisfies AddressOptions;

/** The options of `redis`. */
export interface RedisOptions extends ServerUser, EnvelopeOptions, TlsFiles {
  /** `HOST:PORT`. The port is 6379 if it is left out. */
  readonly server: string;
  /** The number of the database. Default: 0. */
  readonly database?: number;
  /** The connection uses TLS. Default: false. */
  readonly tls?: boolean;
  /** The key of the stream of each item, with `{dataType}`, `{job}` and `{item.PATH}`; `%7B` is a brace. */
  readonly stream: string;
  /** About how many entries a stream keeps: older ones are removed. Default: all. */
  readonly maxlen?: number;
  /** Each page and its position are one transaction: exactly once. Default: true. */
  readonly transactions?: boolean;
  /** Create streams that are missing. Default: true. */
  readonly create?: boolean;
}

/**
 * Creates the sink of the address `redis://...`: Redis Streams. Loads the client and connects when the run begins.
 * Throws ERR_USAGE for wrong options; see docs/reference/sinks/redis.md.
 */
export function redis({ server, database, tls = false, user, password, ...values }: RedisOptions): Sink {
  const path = database === undefined ? undefined : String(database);
  const more = ['server', 'database', 'tls', 'user', 'password'];
  const rules = { options: redisOptions, templates: ['stream'], more };
  const target = { hosts: server, path, user, password };
  return sinkFrom(addressOf(tls ? 'rediss' : 'redis', target, { ...values }, rules), redisFromAddress);
}

interface RedisSettings {
  readonly server: RedisServer;
  readonly stream: NameTemplate;
  /** The part of XADD between key and id. */
  readonly trimming: readonly string[];
  readonly mayCreate: boolean;
  readonly form: MessageForm;
  readonly identity: string;
  readonly shown: string;
}

/** Creates the sink of an address. Throws ERR_USAGE. */
export function redisFromAddress(address: SinkAddress): Sink {
  const settings = settingsOf(address);
  return flagOption(address, 'transactions', true) ? transactional(settings) : pipelined(settings);
}

function settingsOf(address: SinkAddress): RedisSettings {
  const { hosts, path, ...credentials } = readServer(address, 6379);
  const [host, second] = hosts;
  const database = /^\d{0,5}$/.test(path) ? Number(path) : undefined;
  if (database === undefined) {
    throw usageError(`redis: expected the number of a database after the host, found "${decodeText(path)}"`);
  }
  if (host === undefined || second !== undefined) throw usageError('redis: expected one host');
  const key = address.options.get('stream') ?? '';
  const maxlen = countOption(address, 'maxlen');
  const hasTls = address.scheme === 'rediss';
  const tls = readTls(address);
  if (!hasTls) mustNotHaveTls(tls, 'redis', 'use rediss://, in code `tls: true`');
  return {
    server: { ...host, ...credentials, database, ...(hasTls ? { tls: tls ?? {} } : {}) },
    stream: readTemplate(key, { what: 'redis: the stream', escape: (value) => value }),
    trimming: maxlen === undefined ? [] : ['MAXLEN', '~', String(maxlen)],
    mayCreate: flagOption(address, 'create', true),
    form: readEnvelope(address),
    identity: JSON.stringify([database, key, address.options.get('envelope') ?? 'none']),
    shown: address.shown,
  };
}

/** What both kinds share: the names of streams, commands, counts and the end. */
function createBase(settings: RedisSettings) {
  const { stream, server, form, trimming } = settings;
  const session = createRedisSession(settings);
  const base = createMessageSink({
    ...settings,
    sink: 'redis',
    inServer: inRedis,
    end: session.end,
    nameOf: (dataType) => `${stream.summaryOf(dataType)} at ${hostText(server)}`,
    createLine: () => createRedisSession(settings),
    verify: (connection) => verify(connection, settings),
  });
  const targets = countTargets('redis: the stream');
  let mostBytes = mostPageBytes;
  return {
    ...base,
    session,
    /** Verifies the server, and reads the longest value that it accepts. */
    prepare: () =>
      session.once(async (connection) => {
        await verify(connection, settings);
        mostBytes = Math.min(mostPageBytes, await longestValue(connection));
      }),
    /** The commands of a batch, without those of items that are refused. */
    commandsOf(batch: Batch): Promise<Messages<RedisCommand>> {
      const names = stream.findNames(batch);
      return messagesFrom(batch, form.textsOf(batch), base.errors, (text, index) => {
        const name = names[index] ?? '';
        if (typeof name !== 'string') return name;
        const reason = tooLong(text, mostBytes);
        if (reason !== undefined) return { reason };
        targets.add(name);
        return ['XADD', name, ...trimming, '*', 'data', text];
      });
    },
    checkStreams: createStreamCheck(settings),
  };
}

const inRedis = describing(redisError);

/** Each stream is checked before its first entry: an error within a transaction would not end it. */
function createStreamCheck(settings: RedisSettings) {
  const checked = new Set<string>();
  return async (connection: RedisConnection, commands: readonly RedisCommand[]): Promise<void> => {
    for (const [, name] of commands) {
      if (typeof name !== 'string' || checked.has(name)) continue;
      await checkStream(connection, name, settings);
      checked.add(name);
    }
  };
}

/** Why an entry is refused; undefined: it is not. */
function tooLong(text: string, most: number): string | undefined {
  if (text.length * mostUtf8Bytes <= most) return undefined;
  const bytes = Buffer.byteLength(text);
  return bytes <= most
    ? undefined
    : `has ${bytes} bytes, and a value may have ${most}: see proto-max-bulk-len of the server`;
}

/** Of one unit of UTF-16. */
const mostUtf8Bytes = 3;

/** The longest value that the server accepts, in bytes. A user without the right to ask gets the default of Redis. */
async function longestValue(connection: RedisConnection): Promise<number> {
  const reply = await connection.sendCommand(['CONFIG', 'GET', 'proto-max-bulk-len']).catch(() => []);
  const bytes = Number(Array.isArray(reply) ? String(reply[1]) : '');
  return bytes > 0 ? bytes : 512 * 1024 * 1024;
}

/** A page waits in memory until its commit. */
function transactional(settings: RedisSettings): Sink {
  const { session, prepare, commandsOf, checkStreams, ...base } = createBase(settings);
  return pageTransactions<RedisCommand>({
    base,
    prepare,
    messagesOf: commandsOf,
    session: {
      ...session,
      async store(commands, lane, position, signal) {
        await session.alone((connection) => checkStreams(connection, commands), signal);
        await session.store(commands, lane, position, signal);
      },
    },
    mustFit: boundByMemory('redis', 'use transactions=false'),
  });
}

/** Each batch is one pipeline; entries without an acknowledgement are sent again on another connection. */
function pipelined(settings: RedisSettings): Sink {
  const { members, session, prepare, commandsOf, checkStreams, tally, form, mayWrite, end } = createBase(settings);
  return {
    ...members,
    async resume(earlier) {
      form.resume(earlier);
      await inRedis('begin', prepare);
    },
    async write(batch, signal) {
      mayWrite(signal);
      const { messages, refused } = await commandsOf(batch);
      let left = messages;
      const send = async (connection: RedisConnection) => {
        await checkStreams(connection, left);
        const outcomes = await Promise.allSettled(left.map((command) => connection.sendCommand(command)));
        left = left.filter((_, index) => outcomes[index]?.status === 'rejected');
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      };
      await orAborted(
        inRedis('add entries', () => session.alone(send, signal)),
        signal,
      );
      tally.add(batch, refused);
    },
    close: end,
    abort: end,
  };
}

/**
 * Verifies what a run will do, without a change: a transaction that is discarded shows missing rights. Throws ERR_SINK.
 */
async function verify(connection: RedisConnection, settings: RedisSettings): Promise<void> {
  const { stream } = settings;
  const name = stream.isConstant ? stream.text : undefined;
  if (name !== undefined) await checkStream(connection, name, settings);
  await connection.sendCommand(['MULTI']);
  try {
    if (name !== undefined) await connection.sendCommand(['XADD', name, '*', 'data', '']);
    await connection.sendCommand(['HSET', 'rxtract:probe', 'epoch', '']);
  } finally {
    await connection.sendCommand(['DISCARD']).catch(() => {});
  }
}

async function checkStream(connection: RedisConnection, name: string, { mayCreate }: RedisSettings): Promise<void> {
  const type = String(await connection.sendCommand(['TYPE', name]));
  if (type === 'stream' || (type === 'none' && mayCreate)) return;
  if (type === 'none') throw absent('redis', `stream "${name}"`);
  throw new ExtractError('ERR_SINK', `redis: the key "${name}" is a ${type}, not a stream`);
}
