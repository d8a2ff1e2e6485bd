/** A lock file that names its holder: it keeps a second run out, unless the holder is dead. */
import { createHash } from 'node:crypto';
import { stat, unlink, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { asyncScheduler } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import { renameFile } from '../../core/util/rename-file.js';
import { contentOf, createOnce, removeDrafts } from './atomic-create.js';
import { type Holder, holderIn, isRunning, thisProcess } from './holder.js';

export interface Lock {
  /** Shows other machines that the holder is alive. Runs every second by itself. */
  touch(): Promise<void>;
  /** Throws ERR_STATE if `touch` has found the lock of another run: a suspended machine does not touch its lock. */
  mustBeHeld(): void;
  /** Touches it, and throws ERR_STATE as `mustBeHeld`: a process that woke a moment ago has not touched it yet. */
  verify(): Promise<void>;
  release(): Promise<void>;
}

export interface LockOptions {
  readonly me?: Holder;
  /** Settles after the time in which a holder on another machine touches its lock. */
  readonly watch?: () => Promise<unknown>;
}

/** Takes the lock. Throws ERR_STATE, with the holder, if that is alive. */
export async function takeLock(path: string, { me, watch = fewSeconds }: LockOptions = {}): Promise<Lock> {
  const own = me ?? (await thisProcess());
  const mine = JSON.stringify(own);
  while (!(await createOnce(path, mine, own.pid)) && !(await takeOver(path, mine, own, watch))) {}
  await removeDrafts(path);
  let isLost = false;
  const touch = async () => {
    const found = await textIn(path).catch(() => mine);
    isLost ||= found !== mine;
    if (isLost) return;
    const seconds = asyncScheduler.now() / 1000;
    await utimes(path, seconds, seconds).catch(() => {});
  };
  const beat = setInterval(() => void touch(), 1000).unref();
  const mustBeHeld = () => {
    if (isLost) throw new ExtractError('ERR_STATE', `another run took over "${path}" while this process was suspended`);
  };
  return {
    touch,
    mustBeHeld,
    verify: () => touch().then(mustBeHeld),
    async release() {
      clearInterval(beat);
      if ((await textIn(path)) === mine) await unlink(path).catch(() => {});
    },
  };
}

/**
 * Replaces a dead holder. One of many processes gets the claim to follow it: a file named after the content of the
 * lock, which becomes the lock. No other process replaces that lock. So a claim is valid if the lock has the same
 * content once the claim is held. False: try again. Throws ERR_STATE if the holder, or the owner of the claim, is
 * alive.
 */
async function takeOver(path: string, mine: string, own: Holder, watch: () => Promise<unknown>): Promise<boolean> {
  const found = await textIn(path);
  if (found === undefined) return false;
  const { files, last } = await claimsAfter(path, found);
  const holder = holderIn(last);
  if (holder !== undefined && (await lives(files.at(-1) ?? path, holder, own, watch))) throw inUse(path, holder);
  const claim = claimTo(path, last);
  if (!(await createOnce(claim, mine, own.pid))) return false;
  if ((await textIn(path)) !== found) {
    await unlink(claim);
    return false;
  }
  await renameFile(claim, path).catch(async (thrown: unknown) => {
    await unlink(claim).catch(() => {});
    throw thrown;
  });
  await Promise.all(files.slice(1).map((file) => unlink(file).catch(() => {})));
  return true;
}

/** The lock, and the claims of processes that died before they replaced it; `last` is the content of the last file. */
async function claimsAfter(
  path: string,
  found: string,
): Promise<{ readonly files: readonly string[]; readonly last: string }> {
  const files = [path];
  let last = found;
  for (;;) {
    const next = await textIn(claimTo(path, last));
    if (next === undefined || next === last) return { files, last };
    files.push(claimTo(path, last));
    last = next;
  }
}

const claimTo = (path: string, content: string): string =>
  `${path}.after-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;

const textIn = async (path: string): Promise<string | undefined> => (await contentOf(path))?.toString('utf8');

const fewSeconds = () => sleep(4000);

/**
 * Of processes on other machines, or in other containers, only the time stamp of their lock is known. It also decides
 * where only Linux knows when a process started: another one may have the number of the holder.
 */
async function lives(path: string, holder: Holder, me: Holder, watch: () => Promise<unknown>): Promise<boolean> {
  if (holder.host === me.host && holder.space === me.space) {
    const isThere = await isRunning(holder);
    if (!isThere || holder.start !== '') return isThere;
  }
  const before = await touchedAt(path);
  await watch();
  return (await touchedAt(path)) !== before;
}

const touchedAt = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

function inUse(path: string, { host, pid }: Holder): ExtractError {
  return new ExtractError('ERR_STATE', `another run is using it: process ${pid} on ${host} holds "${path}"`);
}
