/**
 * Keeps refresh tokens beyond the run: one exchange at a time among all processes, noted before it is sent and stored
 * before its response is used. docs/decisions/054.
 */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastValueFrom } from 'rxjs';
import { fromAbortable } from '../../../operators/from-abortable.js';
import { inTurn } from '../../../operators/in-turn.js';
import type { StoredToken, TokenStore } from '../../auth/refresh-tokens.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import { defined } from '../../core/util/defined.js';
import { makeFolder } from '../../core/util/make-folder.js';
import { type Lock, takeLock } from './lock.js';
import { readTokens, storeError, type TokenEntry, writeTokens } from './token-file.js';

/** The stores of a run. */
export interface TokenStores {
  /** The store in the file at this path, made when it is first needed. */
  open(path: string): TokenStore;
  /** Settles when no exchange is under way, and at the latest after 30 seconds. */
  idle(): Promise<void>;
}

export interface TokenStoreOptions {
  readonly take?: (path: string) => Promise<Lock>;
  /** Settles when another process may have released the lock. */
  readonly wait?: (signal: AbortSignal) => Promise<unknown>;
}

/** Creates the stores of a run; touches no file. */
export function createTokenStores({ take = takeLock, wait = quarterSecond }: TokenStoreOptions = {}): TokenStores {
  const underWay = new Set<Promise<unknown>>();
  const stores = new Map<string, TokenStore>();
  const createStore = (path: string): TokenStore => {
    const turn = inTurn();
    return {
      exchange: (key, work) =>
        turn(
          fromAbortable(async (signal) => {
            const lock = await lockOf(path, { take, wait, signal });
            const running = withToken(path, key, (token) => lastValueFrom(work(token)), lock);
            underWay.add(running);
            return running.finally(() => underWay.delete(running));
          }),
        ),
    };
  };
  return {
    open(path) {
      const store = stores.get(path) ?? createStore(path);
      stores.set(path, store);
      return store;
    },
    async idle() {
      if (underWay.size === 0) return;
      const enough = new AbortController();
      const settled = Promise.allSettled([...underWay]).finally(() => enough.abort());
      await Promise.race([settled, sleep(longestExchange, undefined, { signal: enough.signal }).catch(() => {})]);
    },
  };
}

/** In ms. */
const longestExchange = 30_000;

const quarterSecond = (signal: AbortSignal) => sleep(250, undefined, { signal });

/** How often a held lock is tried again: for two minutes. */
const mostTries = 480;

type Waiting = Required<TokenStoreOptions> & { readonly signal: AbortSignal };

/** Waits for a process that exchanges a token now. Throws ERR_TOKEN_STORE, with its number, if it does not end. */
async function lockOf(path: string, { take, wait, signal }: Waiting): Promise<Lock> {
  try {
    await makeFolder(dirname(path), 0o700);
    for (let tries = 1; ; tries += 1) {
      try {
        return await take(`${path}.lock`);
      } catch (thrown) {
        if (tries === mostTries || asExtractError(thrown).code !== 'ERR_STATE') throw thrown;
      }
      await wait(signal);
    }
  } catch (thrown) {
    throw storeError(path, 'locked', thrown);
  }
}

/** Marks the token as sent, runs the exchange, and removes the mark unless a new token has replaced it. */
async function withToken<T>(
  path: string,
  key: string,
  work: (token: StoredToken) => Promise<T>,
  lock: Lock,
): Promise<T> {
  try {
    await lock.verify();
    const before = readTokens(path);
    let entry = before.get(key) ?? {};
    const isInDoubt = entry.isSent === true;
    const write = (next: TokenEntry) => {
      writeTokens(path, new Map(before).set(key, next));
      entry = next;
    };
    write({ ...entry, isSent: true }); // This proves, too, that the disk takes what follows.
    try {
      const value = await work({
        ...defined({ latest: entry.token }),
        isInDoubt,
        replace: (token) => write({ token }),
      });
      if (entry.isSent === true) write(defined({ token: entry.token }));
      return value;
    } catch (thrown) {
      // A refusal says that the server has not used the token.
      if (isRefused(thrown) && entry.isSent === true && !isInDoubt) write(defined({ token: entry.token }));
      throw thrown;
    }
  } finally {
    await lock.release();
  }
}

const isRefused = (thrown: unknown): boolean =>
  thrown instanceof ExtractError && thrown.code === 'ERR_LOGIN' && thrown.where.final === true;
