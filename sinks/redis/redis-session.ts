/**
 * A process of a run at a Redis server: its connection, its fence against older processes, and one command sequence at
 * a time. The hash of a run stores its epoch, and for each lane the position after its last page. At the end of a run
 * with a state it keeps the epoch, and expires after some days. Each member of a shared run has such a hash, and a set
 * has their keys; the run has none until it ends or is replaced.
 */

import { ExtractError } from '../../src/core/errors/errors.js';
import { digestOf } from '../../src/core/util/digest.js';
import { elementAt } from '../../src/core/util/element-at.js';
import type { Earlier } from '../contract.js';
import { createAcknowledged } from '../servers/acknowledged.js';
import { type FencedSession, fencedSession, type StoredRun } from '../servers/fenced-session.js';
import { fenceSeconds } from '../servers/fences.js';
import {
  connectRedis,
  isBroken,
  isWatchError,
  type RedisCommand,
  type RedisConnection,
  type RedisServer,
} from './redis-client.js';

/** The commands of a page are executed with its position in one transaction. */
export type RedisSession = FencedSession<RedisConnection, readonly RedisCommand[]>;

interface SessionOptions {
  readonly server: RedisServer;
  /** What the sink writes to, and how: sinks that differ in it do not share a hash. */
  readonly identity: string;
}

/** A run without a state leaves nothing for good: its hash expires. */
const secondsWithoutState = 86_400;

const remedy = 'Set `appendonly yes` and `appendfsync always` in the server, so that it keeps what it acknowledges.';

/** Connects at the first use. */
export function createRedisSession({ server, identity }: SessionOptions): RedisSession {
  const known = createAcknowledged('redis', remedy);
  const prefix = `rxtract:${digestOf(identity).slice(0, 12)}:`;
  return fencedSession({
    kind: {
      connect: () => connectRedis(server),
      isOpen: (connection) => connection.isOpen,
      close: (connection) => connection.destroy(),
      isBroken,
    },
    known,
    lost: (run) => lostAll(`${prefix}${run}`),
    readEpoch: (connection, run) => readEpoch(connection, keysOf(prefix, run)),
    readPositions: (connection, run) => readEpoch(connection, keysOf(prefix, run)),
    writeEpoch(connection, run, found) {
      const { whole, own, members } = keysOf(prefix, run);
      const epoch = String(run.epoch);
      if (own === whole) {
        const expiry: readonly RedisCommand[] = run.isStored ? [] : [['EXPIRE', own, String(secondsWithoutState)]];
        return isApplied(connection, [['HSET', own, 'epoch', epoch], ...expiry]);
      }
      // The run has ended: the process publishes it again.
      if (found.ended !== undefined) return isApplied(connection, [['HSET', whole, 'epoch', epoch]]);
      return isApplied(connection, [
        ['HSET', own, 'epoch', epoch],
        ['SADD', members, own],
      ]);
    },
    async clean(connection, { replaces = [] }) {
      for (const run of replaces) {
        const keys = keysOf(prefix, { run });
        const left = await membersIn(connection, keys);
        await execute(connection, [...fence(keys.whole, Number.POSITIVE_INFINITY), ...left]);
      }
    },
    async storeOnce(connection, run, { content, lane, position }) {
      const keys = keysOf(prefix, run);
      if (!(await isCurrent(connection, keys, run.epoch))) return false;
      const key = keys.own;
      try {
        return await isApplied(connection, [...content, ['HSET', key, `lane:${lane}`, position]]);
      } catch (thrown) {
        if (!isPartial(thrown)) throw thrown;
        await connection.sendCommand(commandBefore(key, lane, known.get(lane)));
        return known.lose(storedInPart(thrown));
      }
    },
    async remove(connection, run) {
      const keys = keysOf(prefix, run);
      const left = await membersIn(connection, keys);
      return isApplied(connection, [...(run.isStored ? fence(keys.whole, run.epoch) : [['DEL', keys.whole]]), ...left]);
    },
  });
}

/** The keys of a process. `own`: that of its member, or of the run if it has none. */
interface RunKeys {
  readonly whole: string;
  readonly own: string;
  /** The set with the keys of all members. */
  readonly members: string;
}

function keysOf(prefix: string, { run, member }: Pick<Earlier, 'run' | 'member'>): RunKeys {
  const whole = `${prefix}${run}`;
  return { whole, own: member === undefined ? whole : `${whole}:member:${member}`, members: `${whole}:members` };
}

/** What is stored of the process's run or member. A transaction that follows fails if it changes meanwhile. */
async function readEpoch(connection: RedisConnection, { whole, own }: RunKeys): Promise<StoredRun> {
  const found = await readRun(connection, own);
  if (own === whole) return found;
  const run = await readRun(connection, whole);
  if (run.epoch === undefined) return found;
  // A process has the run alone, unless it has ended.
  const ended = run.ended ?? Number.POSITIVE_INFINITY;
  return { ended, positions: new Map() };
}

/** Whether the process may store a page. A transaction that follows fails if that changes. One wait for all replies. */
async function isCurrent(connection: RedisConnection, { whole, own }: RunKeys, epoch: number): Promise<boolean> {
  const watched = [...new Set([own, whole])].map((key) => connection.watch(key));
  const reading = [
    connection.sendCommand(['HGET', own, 'epoch']),
    ...(own === whole ? [] : [connection.sendCommand(['EXISTS', whole])]),
  ];
  const [found, exists = 0] = (await Promise.all([...watched, ...reading])).slice(watched.length);
  return String(found) === String(epoch) && String(exists) === '0';
}

/** The commands that remove what the members of a run have stored. */
async function membersIn(connection: RedisConnection, { members }: RunKeys): Promise<readonly RedisCommand[]> {
  const found = await connection.sendCommand(['SMEMBERS', members]);
  const keys = Array.isArray(found) ? found.map(String) : [];
  return keys.length === 0 ? [] : [['DEL', members, ...keys]];
}

/** What the hash of a run has. A transaction that follows fails if it changes meanwhile. */
async function readRun(connection: RedisConnection, key: string): Promise<StoredRun> {
  await connection.watch(key);
  const fields = pairsOf(await connection.sendCommand(['HGETALL', key]));
  const lanes = [...fields].filter(([field]) => field.startsWith('lane:'));
  const text = fields.get('epoch');
  const epoch = text === undefined ? undefined : Number(text);
  return {
    epoch,
    ended: fields.has('ended') ? epoch : undefined,
    positions: new Map(lanes.map(([field, position]) => [field.slice('lane:'.length), position])),
  };
}

/** Commands that leave nothing of a run but its epoch, which expires. */
const fence = (key: string, epoch: number): readonly RedisCommand[] => [
  ['DEL', key],
  ['HSET', key, 'epoch', String(epoch), 'ended', '1'],
  ['EXPIRE', key, String(fenceSeconds)],
];

/** Executes commands, unless a watched key has changed. */
async function isApplied(connection: RedisConnection, commands: readonly RedisCommand[]): Promise<boolean> {
  try {
    await execute(connection, commands);
    return true;
  } catch (thrown) {
    if (!isWatchError(thrown)) throw thrown;
    return false;
  }
}

async function execute(connection: RedisConnection, commands: readonly RedisCommand[]): Promise<void> {
  const transaction = connection.multi();
  for (const command of commands) transaction.addCommand(command);
  await transaction.exec();
}

/** Some commands of a transaction failed when it was executed; the others are in effect. */
const isPartial = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.constructor.name === 'MultiErrorReply';

/** Restores the position before a page that is stored in part, so that a resume sends all of it again. */
const commandBefore = (key: string, lane: string, position: string | undefined): RedisCommand =>
  position === undefined ? ['HDEL', key, `lane:${lane}`] : ['HSET', key, `lane:${lane}`, position];

const storedInPart = (cause: unknown) =>
  new ExtractError(
    'ERR_SINK',
    'redis: a page is stored in part, because a key changed its type meanwhile: a resume sends it again, and some of its items arrive twice',
    { cause },
  );

/** The fields of a hash, from the reply of protocol 2. */
function pairsOf(reply: unknown): ReadonlyMap<string, string> {
  const flat = Array.isArray(reply) ? reply.map(String) : [];
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, elementAt(flat, index + 1)] as const] : [])));
}

const lostAll = (key: string) =>
  new ExtractError(
    'ERR_SINK',
    `redis: the server has lost the key "${key}" of this run: it was restarted without its data, or the key was deleted`,
  );
