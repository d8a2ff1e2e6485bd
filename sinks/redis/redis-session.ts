/**
 * A process of a run at a Redis server: its connection, its fence against older processes, and one command sequence at
 * a time. The hash of a run stores its epoch, and for each lane the position after its last page.
 */
import { createHash } from 'node:crypto';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Earlier } from '../contract.js';
import { repeated } from '../reconnect.js';
import {
  connectRedis,
  isBroken,
  isWatchError,
  type RedisCommand,
  type RedisConnection,
  type RedisServer,
} from './redis-client.js';

export interface RedisSession {
  /** Runs work alone on a connection, and again on a new one if it breaks, for a minute at most. */
  alone<T>(work: (connection: RedisConnection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Runs work on a connection, without another attempt. */
  once<T>(work: (connection: RedisConnection) => Promise<T>): Promise<T>;
  /** Takes over the run: processes with a lower epoch cannot write any more. ERR_RESUME for a lower epoch. */
  begin(earlier: Earlier): Promise<void>;
  /** The last position of each lane. */
  held(): Promise<ReadonlyMap<string, string>>;
  /** Runs the commands and stores the position of the lane with them, or does neither; once, whatever breaks. */
  store(commands: readonly RedisCommand[], lane: string, position: string, signal: AbortSignal): Promise<void>;
  /** Removes what the run has stored beside its items. */
  forget(): Promise<void>;
  end(): void;
}

interface SessionOptions {
  readonly server: RedisServer;
  /** What the sink writes to, and how: sinks that differ in it do not share a hash. */
  readonly identity: string;
}

/** A run without a state leaves nothing for good: its hash expires. */
const secondsWithoutState = 86_400;

/** What a process knows of its run. */
interface Progress {
  key: string;
  epoch: string;
  /** Positions that the server has acknowledged, by lane. */
  readonly known: Map<string, string>;
  /** The connection on which the stored positions were compared with the known ones: a server may restart without. */
  connection: RedisConnection | undefined;
  /** Set when the server lost what it had acknowledged: no call succeeds any more. */
  lost: ExtractError | undefined;
}

/** Connects at the first use. */
export function createRedisSession({ server, identity }: SessionOptions): RedisSession {
  const { alone, once, end } = createLine(server);
  const hashOf = (run: string) => `rxtract:${createHash('sha256').update(identity).digest('hex').slice(0, 12)}:${run}`;
  const progress: Progress = { key: '', epoch: '', known: new Map(), connection: undefined, lost: undefined };
  const mustNotBeLost = () => {
    if (progress.lost !== undefined) throw progress.lost;
  };
  return {
    alone,
    once,
    async begin({ run, epoch, isStored, replaces = [] }) {
      Object.assign(progress, { key: hashOf(run), epoch: String(epoch) });
      progress.known.clear();
      await alone((connection) => takeOver(connection, progress, isStored));
      for (const old of replaces) await alone((connection) => connection.sendCommand(['DEL', hashOf(old)]));
    },
    held() {
      mustNotBeLost();
      return alone(async (connection) => {
        const stored = await readVerified(connection, progress);
        for (const [lane, position] of stored) progress.known.set(lane, position);
        return stored;
      });
    },
    async store(commands, lane, position, signal) {
      mustNotBeLost();
      const page = { commands, lane, position };
      await alone((connection) => storePage(connection, progress, page), signal);
      progress.known.set(lane, position);
    },
    async forget() {
      if (progress.key !== '') await alone((connection) => connection.sendCommand(['DEL', progress.key]));
    },
    end,
  };
}

interface StoredPage {
  readonly commands: readonly RedisCommand[];
  readonly lane: string;
  readonly position: string;
}

/** Stores a page once, also if an earlier connection broke meanwhile. Throws ERR_SINK if a newer process has begun. */
async function storePage(connection: RedisConnection, progress: Progress, page: StoredPage): Promise<void> {
  const { key } = progress;
  const { commands, lane, position } = page;
  for (;;) {
    await connection.watch(key);
    if (progress.connection !== connection) {
      // The page may be there already: an earlier attempt ended without an answer.
      if ((await readVerified(connection, progress, page)).get(lane) === position) return;
      progress.connection = connection;
    } else mustBeOurs(await connection.sendCommand(['HGET', key, 'epoch']), progress);
    try {
      await execute(connection, [...commands, ['HSET', key, `lane:${lane}`, position]]);
      return;
    } catch (thrown) {
      if (isPartial(thrown)) {
        await connection.sendCommand(commandBefore(key, lane, progress.known.get(lane)));
        progress.lost = storedInPart(thrown);
        throw progress.lost;
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
  page?: StoredPage,
): Promise<ReadonlyMap<string, string>> {
  const fields = pairsOf(await connection.sendCommand(['HGETALL', progress.key]));
  mustBeOurs(fields.get('epoch') ?? null, progress);
  const lanes = [...fields].filter(([field]) => field.startsWith('lane:'));
  const stored = new Map(lanes.map(([field, position]) => [field.slice('lane:'.length), position]));
  for (const [lane, position] of progress.known) {
    const isNext = page?.lane === lane && stored.get(lane) === page.position;
    if (stored.get(lane) === position || isNext) continue;
    progress.lost = lostPages();
    throw progress.lost;
  }
  return stored;
}

function mustBeOurs(epoch: unknown, progress: Progress): void {
  if (epoch === null) {
    progress.lost = lostAll(progress.key);
    throw progress.lost;
  }
  if (String(epoch) !== progress.epoch) throw fenced();
}

/** Work on one connection, one after the other. A broken connection is replaced. */
function createLine(server: RedisServer): Pick<RedisSession, 'alone' | 'once' | 'end'> {
  let connection: RedisConnection | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const open = async () => {
    if (connection?.isOpen !== true) connection = await connectRedis(server);
    if (hasEnded) connection.destroy();
    return connection;
  };
  const once: RedisSession['once'] = async (work) => {
    try {
      return await work(await open());
    } catch (thrown) {
      if (isBroken(thrown)) {
        if (connection?.isOpen === true) connection.destroy();
        connection = undefined;
      }
      throw thrown;
    }
  };
  return {
    once,
    alone(work, signal) {
      const attempt = () => once(work);
      const isTemporary = (thrown: unknown) => !hasEnded && isBroken(thrown);
      const result = last.then(() => repeated(attempt, { isTemporary, ...(signal === undefined ? {} : { signal }) }));
      last = result.catch(() => {});
      return result;
    },
    end() {
      hasEnded = true;
      if (connection?.isOpen === true) connection.destroy();
    },
  };
}

/** Writes the epoch, if it is the highest. Repeats if another process writes at the same time. */
async function takeOver(connection: RedisConnection, { key, epoch }: Progress, isStored: boolean): Promise<void> {
  for (;;) {
    await connection.watch(key);
    const found = await connection.sendCommand(['HGET', key, 'epoch']);
    if (found !== null && Number(String(found)) > Number(epoch)) throw fenced();
    const expiry: readonly RedisCommand[] = isStored ? [] : [['EXPIRE', key, String(secondsWithoutState)]];
    try {
      await execute(connection, [['HSET', key, 'epoch', epoch], ...expiry]);
      return;
    } catch (thrown) {
      if (!isWatchError(thrown)) throw thrown;
    }
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

const fenced = () =>
  new ExtractError('ERR_RESUME', 'redis: another process has resumed this run: only the last one may write');

const lostAll = (key: string) =>
  new ExtractError(
    'ERR_SINK',
    `redis: the server has lost the key "${key}" of this run: it was restarted without its data, or the key was deleted`,
  );

const lostPages = () =>
  new ExtractError(
    'ERR_SINK',
    'redis: the server has lost pages that it had acknowledged: run again with --resume, which sends them again',
    {
      remedy: 'Set `appendonly yes` and `appendfsync always` in the server, so that it keeps what it acknowledges.',
    },
  );
