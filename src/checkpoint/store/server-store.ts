/** A server as a store: one process at a time, records in the order of calls, and parts with names of their own. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { maskedBy } from '../../../sinks/addresses/address-secrets.js';
import { createTurns } from '../../../sinks/serialize.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import { defined } from '../../core/util/defined.js';
import { type Holder, holderIn, isRunning, thisProcess } from './holder.js';
import type { StateServer, Tenure } from './state-server.js';
import type { OpenStore, Part, Store } from './store.js';

export interface ServerStoreOptions {
  readonly me?: RemoteHolder;
  /** Settles after the time in which a living holder writes. */
  readonly watch?: () => Promise<unknown>;
  /** Calls `work` regularly, more often than `watch` takes. The result stops it. */
  readonly regularly?: (work: () => void) => () => void;
  /** Settles when a state that another process has is to be looked at again. Default: rejects with the error. */
  readonly onInUse?: (error: ExtractError) => Promise<void>;
}

/** Makes a store of a server. `connect` is called for each opening, and opens no connection by itself. */
export function serverStore(connect: () => StateServer, options: ServerStoreOptions = {}): Store {
  return {
    async exists() {
      const server = connect();
      try {
        return (await failing(server, server.read)).epoch > 0;
      } finally {
        server.end();
      }
    },
    async open() {
      const server = connect();
      try {
        return await failing(server, async () => {
          const epoch = await takeState(server, options);
          const [records, parts] = [await server.load(), await server.partNames()];
          return openServerStore(
            server,
            { partPrefix: `part-${epoch}`, records, parts },
            options.regularly ?? everyBeat,
          );
        });
      } catch (thrown) {
        server.end();
        throw thrown;
      }
    },
  };
}

/** In ms. */
const beat = 4000;

const threeBeats = () => sleep(3 * beat);

function everyBeat(work: () => void): () => void {
  const timer = setInterval(work, beat).unref();
  return () => clearInterval(timer);
}

/** The process at the server, distinct from others of the same host name, process number and start. */
export interface RemoteHolder extends Holder {
  /** Of the machine since it started; empty: unknown. */
  readonly boot: string;
}

/** Resolves to the epoch of this process. Throws ERR_STATE, with the holder, if that is alive. */
async function takeState(server: StateServer, options: ServerStoreOptions): Promise<number> {
  const { me, watch = threeBeats, onInUse = rejecting } = options;
  const own = me ?? (await thisHolder());
  const mine = JSON.stringify({ ...own, id: randomUUID() });
  for (;;) {
    const found = await server.read();
    if (found.holder === mine) return found.epoch; // an earlier attempt had no answer
    const holder = found.holder === undefined ? undefined : remoteHolderIn(found.holder);
    const isInUse = holder !== undefined && (await lives(server, { found, holder, own, watch }));
    if (isInUse) await onInUse(inUse(server.name, holder));
    else if (await server.take(mine, found)) return found.epoch + 1;
  }
}

async function rejecting(error: ExtractError): Promise<void> {
  throw error;
}

async function thisHolder(): Promise<RemoteHolder> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return { ...(await thisProcess()), boot: boot.trim() };
}

function remoteHolderIn(text: string): RemoteHolder | undefined {
  const holder = holderIn(text);
  return holder === undefined ? undefined : { ...holder, boot: String(JSON.parse(text).boot) };
}

interface Suspect {
  readonly found: Tenure;
  readonly holder: RemoteHolder;
  readonly own: RemoteHolder;
  readonly watch: () => Promise<unknown>;
}

/** Of processes on other machines, or in other containers, only what they write is known. */
async function lives(server: StateServer, { found, holder, own, watch }: Suspect): Promise<boolean> {
  const isHere = holder.host === own.host && holder.space === own.space && holder.boot === own.boot;
  if (isHere) return isRunning(holder);
  await watch();
  const later = await server.read();
  return later.holder !== undefined && (later.beat !== found.beat || later.epoch !== found.epoch);
}

const inUse = (name: string, { host, pid }: Holder): ExtractError =>
  new ExtractError('ERR_STATE', `another run is using it: process ${pid} on ${host} holds "${name}"`);

/** A state of which this process is the holder. */
interface OpenedState {
  /** Names of new parts begin with it: no other process has it. */
  readonly partPrefix: string;
  readonly records: readonly string[];
  readonly parts: readonly string[];
}

/** The store of a state that this process has taken. */
export function openServerStore(
  server: StateServer,
  { partPrefix, records, parts }: OpenedState,
  regularly: NonNullable<ServerStoreOptions['regularly']>,
): OpenStore {
  const inTurn = createTurns();
  const known = new Set(parts);
  let isQuiet = true;
  let count = 0;
  const writing = (work: () => Promise<void>) =>
    failing(server, async () =>
      inTurn(() => {
        isQuiet = false;
        return work();
      }),
    );
  const queue = createAppendQueue(writing, server.append);
  const stop = regularly(() => {
    if (isQuiet) void Promise.resolve(inTurn(server.touch)).catch(() => {}); // the next write fails too
    isQuiet = true;
  });

  return {
    name: server.name,
    records,
    replace(texts) {
      queue.cut();
      return writing(() => server.replace(texts));
    },
    append: queue.add,
    sync: queue.add,
    async createPart() {
      count += 1;
      const name = `${partPrefix}-${count}`;
      known.add(name);
      return partAt(server, name);
    },
    async openPart(name) {
      if (known.has(name)) return partAt(server, name);
      throw new ExtractError('ERR_STATE', `there is no "${name}" in "${server.name}"`);
    },
    partNames: async () => [...known],
    async removePart(name) {
      if (!known.delete(name)) return;
      await failing(server, () => server.removePart(name));
    },
    async close() {
      stop();
      await Promise.resolve(inTurn(server.release)).catch(() => {}); // the next process waits a moment
      server.end();
    },
  };
}

function partAt(server: StateServer, name: string): Part {
  let end = 0;
  return {
    name,
    async write(bytes) {
      const position = end;
      end += bytes.length;
      await failing(server, () => server.writePart(name, position, bytes));
      return { position, length: bytes.length };
    },
    async read(piece) {
      const bytes = await failing(server, () => server.readPart(name, piece));
      if (bytes?.length === piece.length) return bytes;
      throw new ExtractError('ERR_STATE', `"${name}" of "${server.name}" is shorter than it was`);
    },
    async close() {},
  };
}

interface Waiting {
  readonly records: string[];
  written: Promise<void>;
}

/** Records that wait for their turn are one request. `inTurn` runs work after all earlier work. */
function createAppendQueue(
  inTurn: (work: () => Promise<void>) => Promise<void>,
  append: (records: readonly string[]) => Promise<void>,
) {
  let waiting: Waiting | undefined;
  return {
    add(records: readonly string[]): Promise<void> {
      if (waiting !== undefined) {
        waiting.records.push(...records);
        return waiting.written;
      }
      const mine: Waiting = { records: [...records], written: Promise.resolve() };
      waiting = mine;
      mine.written = inTurn(async () => {
        if (waiting === mine) waiting = undefined;
        if (mine.records.length > 0) await append(mine.records);
      });
      return mine.written;
    },
    /** What follows is another request. */
    cut() {
      waiting = undefined;
    },
  };
}

/** Describes a failure, without secrets of the address. */
export async function failing<T>(
  { name, secrets }: Pick<StateServer, 'name' | 'secrets'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = await maskedBy(secrets, thrown);
    if (error.code === 'ERR_STATE') throw error;
    const { message, cause, where } = asExtractError(error);
    const { remedy } = where;
    throw new ExtractError('ERR_STATE', `cannot keep the state in "${name}": ${message}`, {
      ...defined({ cause, remedy }),
    });
  }
}
