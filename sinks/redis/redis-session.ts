/**
 * A process of a run at a Redis server: its connection, its fence against older processes, and one command sequence at
 * a time. The hash of a run stores its epoch, and for each lane the position after its last page. At the end of a run
 * with a state it keeps the epoch, and expires after some days.
 */

import { ExtractError } from '../../src/core/errors/errors.js';
import { digestOf } from '../../src/core/util/digest.js';
import { elementAt } from '../../src/core/util/element-at.js';
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
  const keyOf = (run: string) => `rxtract:${digestOf(identity).slice(0, 12)}:${run}`;
  return fencedSession({
    kind: {
      connect: () => connectRedis(server),
      isOpen: (connection) => connection.isOpen,
      close: (connection) => connection.destroy(),
      isBroken,
    },
    known,
    lost: (run) => lostAll(keyOf(run)),
    readEpoch: (connection, { run }) => readRun(connection, keyOf(run)),
    readPositions: (connection, { run }) => readRun(connection, keyOf(run)),
    writeEpoch(connection, { run, epoch, isStored }) {
      const key = keyOf(run);
      const expiry: readonly RedisCommand[] = isStored ? [] : [['EXPIRE', key, String(secondsWithoutState)]];
      return isApplied(connection, [['HSET', key, 'epoch', String(epoch)], ...expiry]);
    },
    async clean(connection, { replaces = [] }) {
      for (const old of replaces) await execute(connection, fence(keyOf(old), Number.POSITIVE_INFINITY));
    },
    async storeOnce(connection, { run, epoch }, { content, lane, position }) {
      const key = keyOf(run);
      // Sent together, which saves a wait.
      const [, found] = await Promise.all([connection.watch(key), connection.sendCommand(['HGET', key, 'epoch'])]);
      if (String(found) !== String(epoch)) return false;
      try {
        return await isApplied(connection, [...content, ['HSET', key, `lane:${lane}`, position]]);
      } catch (thrown) {
        if (!isPartial(thrown)) throw thrown;
        await connection.sendCommand(commandBefore(key, lane, known.get(lane)));
        return known.lose(storedInPart(thrown));
      }
    },
    remove(connection, { run, epoch, isStored }) {
      const key = keyOf(run);
      return isApplied(connection, isStored ? fence(key, epoch) : [['DEL', key]]);
    },
  });
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
