/** Redis Streams: items of a page and the position after it in one transaction, or pipelined without one. */

import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { GivenOptions, OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { flag, whole } from '../../src/core/options/kinds.js';
import { defined } from '../../src/core/util/defined.js';
import { elementAt } from '../../src/core/util/element-at.js';
import { hosts, template } from '../addresses/kinds.js';
import { sinkInCode } from '../addresses/options.js';
import { hostText, readHost } from '../addresses/server-address.js';
import { countTargets, type NameTemplate, readTemplate } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import type { Destination, SinkEntry } from '../entry.js';
import { absent, orAborted } from '../errors.js';
import { envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { credentials } from '../servers/credentials.js';
import { fencedNote } from '../servers/fences.js';
import { createMessageSink, describing, type Messages, messagesFrom } from '../servers/message-sink.js';
import { boundByMemory, mostPageBytes, pageTransactions } from '../servers/page-transactions.js';
import { connectionOptions, tlsByScheme } from '../servers/tls.js';
import {
  type RedisCommand,
  type RedisConnection,
  type RedisServer,
  redisError,
  redisPackages,
} from './redis-client.js';
import { createRedisSession } from './redis-session.js';

export const redisOptions = {
  server: { kind: hosts, summary: '`HOST:PORT`; without a port it is 6379', required: true },
  database: { kind: whole(0, 99_999), summary: 'the number of the database', default: 0 },
  ...credentials,
  stream: {
    kind: template,
    summary: 'the key of the stream, with `{dataType}`, `{job}` and `{item.PATH}`',
    required: true,
  },
  maxlen: {
    kind: whole(1, 999_999_999),
    summary: 'about how many entries a stream keeps: older ones are removed',
    otherwise: 'all',
  },
  transactions: {
    kind: flag,
    summary:
      'store each page and its position in one transaction; `false`: entries are pipelined, and the guarantee is at least once',
    default: true,
  },
  create: { kind: flag, summary: 'create streams that are missing', default: true },
  ...envelopeOptions,
  ...connectionOptions,
} as const satisfies OptionRows;

/** The options of `redis`. */
export interface RedisOptions extends GivenOptions<typeof redisOptions> {}

/**
 * Creates the sink of the address `redis://...`: Redis Streams. Loads the client and connects when the run begins.
 * Throws ERR_USAGE for wrong options; see docs/reference/sinks/redis.md.
 */
export const redis = (options: RedisOptions): Sink => sinkInCode('redis', redisEntry, options);

export const redisEntry: SinkEntry<typeof redisOptions> = {
  summary: 'entries of Redis Streams, each page and its position in one transaction',
  address: {
    form: 'redis://[USER:PASSWORD@]HOST:PORT/DB?stream=KEY',
    target: 'server',
    schemes: ['redis', 'rediss'],
    tlsScheme: 'rediss',
    parts: { hosts: 'server', path: 'database', user: 'user', password: 'password' },
  },
  options: redisOptions,
  code: "redis({ server: 'localhost:6379', database: 0, stream: 'items' })",
  recovery: { usual: 'transaction', option: 'transactions=false', withOption: 'none' },
  rules: [
    'An entry has one field, `data`: the item as compact JSON, or its CloudEvent.',
    'In the key of a stream, values are written as they are: Redis gives no character of a key a meaning.',
    '`rediss` uses TLS. The database is 0 if it is left out. A user without a password is written `USER:@`.',
    'A page is in memory until its transaction, 256 MiB at the most.',
    `${fencedNote} That is a hash for each run with a state, which expires.`,
    'What Redis acknowledges is as safe as its configuration makes it. Only `appendonly yes` with `appendfsync always` keeps all of it through a power cut of the server. With `everysec`, the default, up to a second can be lost, and without `appendonly` all since the last snapshot. Items and position are lost together: a run that is still going ends with an error, and `--resume` sends the lost pages again. What is lost after the end of a run is lost.',
    'A connection that breaks is opened again for one minute. With transactions, the stored position shows whether a page has arrived; without them its entries may arrive twice.',
    'Redis Cluster is not supported: the keys of a transaction are in different slots.',
  ],
  packages: redisPackages,
  example: 'redis://localhost:6379/0?stream={dataType}',
  create(options, destination) {
    const settings = settingsOf(options, destination);
    return options.transactions ? transactional(settings) : pipelined(settings);
  },
};

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

function settingsOf(options: OptionsOf<typeof redisOptions>, destination: Destination): RedisSettings {
  const { database, stream, maxlen, envelope, create, user, password } = options;
  const tls = tlsByScheme(options, destination, 'rediss');
  return {
    server: { ...readHost(options.server, 'redis', 6379), ...defined({ user, password, tls }), database },
    stream: readTemplate(stream, { what: 'redis: the stream', escape: (value) => value }),
    trimming: maxlen === undefined ? [] : ['MAXLEN', '~', String(maxlen)],
    mayCreate: create,
    form: readEnvelope(options, destination),
    identity: JSON.stringify([database, stream, envelope]),
    shown: destination.shown,
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
        const name = elementAt(names, index);
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
    hasMembers: true,
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
    leave: end,
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
