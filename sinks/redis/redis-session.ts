/**
 * A process of a run at a Redis server: its connection, its fence against older processes, and one command sequence at
 * a time. The hash of a run stores its epoch, and for each lane the position after its last page. At the end of a run
 * with a state it keeps the epoch, and expires after some days.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import { digestOf } from '../../src/core/util/digest.js';
import type { Earlier } from '../contract.js';
import { fenceSeconds } from '../servers/fences.js';
import {
  type Acknowledged,
  createAcknowledged,
  createLine,
  fenced,
  hasEndedBefore,
  type LanePosition,
  type ServerSession,
} from '../servers/server-session.js';
import {
  connectRedis,
  isBroken,
  isWatchError,
  type RedisCommand,
  type RedisConnection,
  type RedisServer,
} from './redis-client.js';

/** The commands of a page are executed with its position in one transaction. */
export type RedisSession = ServerSession<RedisConnection, RedisCommand>;

interface SessionOptions {
  readonly server: RedisServer;
  /** What the sink writes to, and how: sinks that differ in it do not share a hash. */
  readonly identity: string;
}

/** A run without a state leaves nothing for good: its hash expires. */
const secondsWithoutState = 86_400;

const remedy = 'Set `appendonly yes` and `appendfsync always` in the server, so that it keeps what it acknowledges.';

/** What a process knows of its run. */
interface Progress {
  key: string;
  epoch: string;
  isStored: boolean;
  readonly known: Acknowledged;
  /** The connection on which the stored positions were compared with the known ones: a server may restart without. */
  connection: RedisConnection | undefined;
}

/** Connects at the first use. */
export function createRedisSession({ server, identity }: SessionOptions): RedisSession {
  const { alone, once, end } = createLine<RedisConnection>({
    connect: () => connectRedis(server),
    isOpen: (connection) => connection.isOpen,
    close: (connection) => connection.destroy(),
    isBroken,
  });
  const known = createAcknowledged('redis', remedy);
  const hashOf = (run: string) => `rxtract:${digestOf(identity).slice(0, 12)}:${run}`;
  const progress: Progress = { key: '', epoch: '', isStored: false, known, connection: undefined };
  return {
    alone,
    once,
    async begin(earlier) {
      const { run, epoch, isStored, replaces = [] } = earlier;
      Object.assign(progress, { key: hashOf(run), epoch: String(epoch), isStored });
      known.clear();
      await alone((connection) => takeOver(connection, progress, earlier));
      for (const old of replaces) await alone((connection) => execute(connection, fence(hashOf(old), replacedEpoch)));
    },
    held() {
      known.mustNotBeLost();
      return alone(async (connection) => {
        const stored = await readVerified(connection, progress);
        for (const [lane, position] of stored) known.set(lane, position);
        return stored;
      });
    },
    async store(commands, lane, position, signal) {
      known.mustNotBeLost();
      const page = { commands, lane, position };
      await alone((connection) => storePage(connection, progress, page), signal);
      known.set(lane, position);
    },
    async forget() {
      if (progress.key !== '') await alone((connection) => endRun(connection, progress));
    },
    end,
  };
}

interface StoredPage extends LanePosition {
  readonly commands: readonly RedisCommand[];
}

/** Stores a page once, also if an earlier connection broke meanwhile. Throws ERR_SINK if a newer process has begun. */
async function storePage(connection: RedisConnection, progress: Progress, page: StoredPage): Promise<void> {
  const { key } = progress;
  const { commands, lane, position } = page;
  for (;;) {
    if (progress.connection !== connection) {
      await connection.watch(key);
      // The page may be there already: an earlier attempt ended without an answer.
      if ((await readVerified(connection, progress, page)).get(lane) === position) return;
      progress.connection = connection;
    } else {
      // Sent together, which saves a wait.
      const [, epoch] = await Promise.all([connection.watch(key), connection.sendCommand(['HGET', key, 'epoch'])]);
      mustBeOurs(epoch, progress);
    }
    try {
      await execute(connection, [...commands, ['HSET', key, `lane:${lane}`, position]]);
      return;
    } catch (thrown) {
      if (isPartial(thrown)) {
        await connection.sendCommand(commandBefore(key, lane, progress.known.get(lane)));
        progress.known.lose(storedInPart(thrown));
      }
      if (!isWatchError(thrown)) throw thrown;
      progress.connection = undefined; // An earlier attempt, or another process, has changed the hash.
    }
  }
}

/** The stored positions. They must be the acknowledged ones, but for a page that is in question. */
async function readVerified(
  connection: RedisConnection,
  progress: Progress,
  page?: LanePosition,
): Promise<ReadonlyMap<string, string>> {
  const fields = pairsOf(await connection.sendCommand(['HGETALL', progress.key]));
  mustBeOurs(fields.get('epoch') ?? null, progress);
  const lanes = [...fields].filter(([field]) => field.startsWith('lane:'));
  const stored = new Map(lanes.map(([field, position]) => [field.slice('lane:'.length), position]));
  progress.known.verify(stored, page);
  return stored;
}

function mustBeOurs(epoch: unknown, progress: Progress): void {
  if (epoch === null) progress.known.lose(lostAll(progress.key));
  if (String(epoch) !== progress.epoch) throw fenced('redis');
}

/** Writes the epoch, if it is the highest. Repeats if another process writes at the same time. */
async function takeOver(
  connection: RedisConnection,
  { key, epoch }: Progress,
  { run, isStored, phase }: Earlier,
): Promise<void> {
  for (;;) {
    await connection.watch(key);
    const found = pairsOf(await connection.sendCommand(['HGETALL', key]));
    if (Number(found.get('epoch') ?? 0) > Number(epoch)) throw fenced('redis');
    if (found.has('ended') && phase === 'writing') throw hasEndedBefore('redis', run);
    const expiry: readonly RedisCommand[] = isStored ? [] : [['EXPIRE', key, String(secondsWithoutState)]];
    if (await isApplied(connection, [['HSET', key, 'epoch', epoch], ...expiry])) return;
  }
}

/** Removes the positions, and leaves a fence if the run has a state. Throws ERR_RESUME if a newer process has begun. */
async function endRun(connection: RedisConnection, { key, epoch, isStored }: Progress): Promise<void> {
  for (;;) {
    await connection.watch(key);
    const found = await connection.sendCommand(['HGET', key, 'epoch']);
    if (found !== null && String(found) !== epoch) throw fenced('redis');
    if (await isApplied(connection, isStored ? fence(key, epoch) : [['DEL', key]])) return;
  }
}

/** The epoch of a run that was replaced: no process has a higher one. */
const replacedEpoch = 'Infinity';

/** Commands that leave nothing of a run but its epoch, which expires. */
const fence = (key: string, epoch: string): readonly RedisCommand[] => [
  ['DEL', key],
  ['HSET', key, 'epoch', epoch, 'ended', '1'],
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
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as const] : [])));
}

const lostAll = (key: string) =>
  new ExtractError(
    'ERR_SINK',
    `redis: the server has lost the key "${key}" of this run: it was restarted without its data, or the key was deleted`,
  );
