/** Redis Streams: items of a page and the position after it in one transaction, or pipelined without one. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import { type AddressOptions, decodeText, type SinkAddress } from '../addresses/address.js';
import { addressOf, type ServerUser } from '../addresses/address-of.js';
import { countOption, flagOption, hostText, readServer } from '../addresses/server-address.js';
import { countTargets, type NameTemplate, readTemplate } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import { type Counts, createTally } from '../counts.js';
import { hasEnded, orAborted, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import { type EnvelopeOptions, envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { mustNotHaveTls, readTls, type TlsFiles, tlsOptions } from '../servers/tls.js';
import { type RedisCommand, type RedisConnection, type RedisServer, redisError } from './redis-client.js';
import { createRedisSession, type RedisSession } from './redis-session.js';

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
  return redisFromAddress(
    addressOf(tls ? 'rediss' : 'redis', { hosts: server, path, user, password }, { ...values }, rules),
  );
}

interface RedisSettings {
  readonly server: RedisServer;
  readonly stream: NameTemplate;
  /** The part of XADD between key and id. */
  readonly trimming: readonly string[];
  readonly mayCreate: boolean;
  readonly envelope: MessageForm;
  readonly identity: string;
  readonly shown: string;
  readonly secrets: readonly string[];
}

/** The most that a page may have in a transaction, in bytes: it is in memory until its commit. */
const mostPageBytes = 256 * 1024 * 1024;

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
    throw usage(`redis: expected the number of a database after the host, found "${decodeText(path)}"`);
  }
  if (host === undefined || second !== undefined) throw usage('redis: expected one host');
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
    envelope: readEnvelope(address),
    identity: JSON.stringify([database, key, address.options.get('envelope') ?? 'none']),
    shown: address.shown,
    secrets: address.secrets,
  };
}

/** What both kinds share: the names of streams, commands, counts and the end. */
function createBase(settings: RedisSettings, session: RedisSession) {
  const tally = createTally();
  const errors = createItemErrors('redis');
  const limits = { mostBytes: mostPageBytes };
  const checked = new Set<string>();
  let isOver = false;
  return {
    tally,
    mayWrite(signal: AbortSignal) {
      if (isOver) throw hasEnded('redis');
      throwIfAborted(signal);
    },
    end() {
      isOver = true;
      session.end();
    },
    commandsOf: createCommands(settings, errors, limits),
    /** Verifies the server, and reads the longest value that it accepts. */
    async prepare(connection: RedisConnection) {
      await verify(connection, settings);
      limits.mostBytes = Math.min(mostPageBytes, await longestValue(connection));
    },
    /** Each stream is checked before its first entry: an error within a transaction would not end it. */
    async checkStreams(connection: RedisConnection, commands: readonly RedisCommand[]) {
      for (const [, name] of commands) {
        if (typeof name !== 'string' || checked.has(name)) continue;
        await checkStream(connection, name, settings);
        checked.add(name);
      }
    },
    members: membersOf(settings, tally, errors),
  };
}

interface Commands {
  readonly commands: readonly RedisCommand[];
  /** Indexes of the items that are left out. */
  readonly refused: readonly number[];
}

/** Returns a function that makes the commands of a batch, without those of items that are refused. */
function createCommands(
  { stream, envelope, trimming }: RedisSettings,
  errors: ItemErrors,
  limits: { readonly mostBytes: number },
): (batch: Batch) => Promise<Commands> {
  const targets = countTargets('redis: the stream');
  return async (batch) => {
    const names = stream.findNames(batch);
    const commands: RedisCommand[] = [];
    const refused: number[] = [];
    for (const [index, text] of envelope.textsOf(batch).entries()) {
      const name = names[index] ?? '';
      const reason = typeof name === 'string' ? tooLong(text, limits.mostBytes) : name.reason;
      if (reason !== undefined || typeof name !== 'string') {
        await errors.refuse({ batch, index, reason: reason ?? '' });
        refused.push(index);
        continue;
      }
      targets.add(name);
      commands.push(['XADD', name, ...trimming, '*', 'data', text]);
    }
    return { commands, refused };
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

function membersOf(settings: RedisSettings, tally: Counts, errors: ItemErrors): Partial<Sink> {
  const { shown, secrets, envelope, stream, server } = settings;
  const nameOf = (dataType: string) => {
    const name = stream.readsItems ? stream.text : stream.nameOf({ dataType, job: '*' });
    return `${name} at ${hostText(server)}`;
  };
  return {
    name: shown,
    ...(secrets.length === 0 ? {} : { secrets }),
    open(dataType, job, opening) {
      tally.open(dataType);
      envelope.open(job, opening);
      errors.open(opening);
    },
    async check() {
      const own = createRedisSession(settings);
      try {
        await inRedis(`use ${shown}`, () => own.once((connection) => verify(connection, settings)));
      } finally {
        own.end();
      }
    },
    summary: () => tally.summary(nameOf),
  };
}

/** A page waits in memory until its commit. */
function transactional(settings: RedisSettings): Sink {
  const session = createRedisSession(settings);
  const { members, prepare, commandsOf, checkStreams, tally, mayWrite, end } = createBase(settings, session);
  const pages = new Map<string, PageInMemory>();
  return {
    ...members,
    recovery: 'transaction',
    async resume(earlier) {
      settings.envelope.resume(earlier);
      await inRedis('begin', async () => {
        await session.once(prepare);
        await session.begin(earlier);
      });
    },
    held: () => inRedis('read the last positions', () => session.held()),
    async write(batch, signal) {
      mayWrite(signal);
      const page = pages.get(batch.dataType) ?? { commands: [], batches: [], bytes: 0 };
      const { commands, refused } = await commandsOf(batch);
      page.bytes += commands.length === 0 ? 0 : batch.bytes.length;
      if (page.bytes > mostPageBytes) throw tooLarge(batch);
      for (const command of commands) page.commands.push(command);
      page.batches.push({ batch, refused });
      pages.set(batch.dataType, page);
    },
    async commit({ dataType, lane, walk, page: number, keep }, signal) {
      const { commands = [], batches = [] } = pages.get(dataType) ?? {};
      pages.delete(dataType); // The page ends here, also if no answer comes.
      if (commands.length === 0 && keep === undefined) return;
      const store = async () => {
        await session.alone((connection) => checkStreams(connection, commands), signal);
        await session.store(commands, lane, keep ?? `${walk} ${number}`, signal);
      };
      await orAborted(inRedis('store a page', store), signal);
      for (const { batch, refused } of batches) tally.add(batch, refused);
    },
    rollback: (dataType) => void pages.delete(dataType),
    async close() {
      await inRedis('end the run', () => session.forget());
      end();
    },
    abort: end,
  };
}

interface PageInMemory {
  readonly commands: RedisCommand[];
  readonly batches: { readonly batch: Batch; readonly refused: readonly number[] }[];
  bytes: number;
}

/** Each batch is one pipeline; entries without an acknowledgement are sent again on another connection. */
function pipelined(settings: RedisSettings): Sink {
  const session = createRedisSession(settings);
  const { members, prepare, commandsOf, checkStreams, tally, mayWrite, end } = createBase(settings, session);
  return {
    ...members,
    async resume(earlier) {
      settings.envelope.resume(earlier);
      await inRedis('begin', () => session.once(prepare));
    },
    async write(batch, signal) {
      mayWrite(signal);
      const { commands, refused } = await commandsOf(batch);
      let left = commands;
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
  if (type === 'none') throw new ExtractError('ERR_SINK', `redis: there is no stream "${name}", and create=false`);
  throw new ExtractError('ERR_SINK', `redis: the key "${name}" is a ${type}, not a stream`);
}

async function inRedis<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw redisError(action, thrown);
  }
}

const tooLarge = ({ dataType, job, page }: Batch) =>
  new ExtractError(
    'ERR_SINK',
    `redis: a page of "${dataType}" has more than ${mostPageBytes} bytes, which wait in memory for their transaction: request smaller pages, or use transactions=false`,
    { job, page },
  );

const usage = (message: string) => new ExtractError('ERR_USAGE', message);
