/**
 * Keeps refresh tokens beyond the run: one exchange at a time among all processes, noted before it is sent and stored
 * before its response is used. docs/decisions/054.
 */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asyncScheduler, lastValueFrom, type Observable } from 'rxjs';
import { fromAbortable } from '../../../operators/from-abortable.js';
import { inTurn, inTurnBy } from '../../../operators/in-turn.js';
import type { SinkContext } from '../../../sinks/entry.js';
import type { StoredToken, TokenStore } from '../../auth/refresh-tokens.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import { defined } from '../../core/util/defined.js';
import { makeFolder } from '../../core/util/make-folder.js';
import { type Lock, takeLock } from './lock.js';
import type { ServerStoreOptions } from './server-store.js';
import { tokensAt } from './server-tokens.js';
import { isStateAddress } from './state-address.js';
import {
  type OpenTokens,
  readTokens,
  storeError,
  type TokenEntry,
  type TokenPlace,
  writeTokens,
} from './token-file.js';

/** The stores of a run. */
export interface TokenStores {
  /** The store in the file at this path, or at the server of this address. Throws ERR_CONFIG for a wrong address. */
  open(path: string): TokenStore;
  /** Settles when no exchange is under way, and at the latest after 30 seconds. */
  idle(): Promise<void>;
}

export interface TokenStoreOptions extends Pick<SinkContext, 'env' | 'hide'> {
  readonly take?: (path: string) => Promise<Lock>;
  /** Settles when another process may have released the lock. */
  readonly wait?: (signal: AbortSignal) => Promise<unknown>;
  /** How the state at a server is opened. */
  readonly server?: ServerStoreOptions;
}

/** Creates the stores of a run; touches no file, and opens no connection. */
export function createTokenStores(options: TokenStoreOptions = {}): TokenStores {
  const { take = takeLock, wait = quarterSecond, env, hide, server } = options;
  const underWay = new Set<Promise<unknown>>();
  const stores = new Map<string, TokenStore>();
  const createStore = (path: string): TokenStore => {
    const turn = inTurn();
    const place = isStateAddress(path) ? serverPlace(path, { env, hide }, server) : filePlace(path, take);
    return {
      name: place.name,
      exchange: (key, work) =>
        turn(
          exchangeAt(place, key, work, {
            wait,
            onBegin(running) {
              underWay.add(running);
              running.finally(() => underWay.delete(running)).catch(() => {});
            },
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

/** Creates a store with a place for each key. */
export function createTokenStore(name: string, placeOf: (key: string) => TokenPlace): TokenStore {
  const turnOf = inTurnBy<string>();
  return { name, exchange: (key, work) => turnOf(key)(exchangeAt(placeOf(key), key, work)) };
}

interface ExchangeWaits {
  /** Settles when another process may have released the place. */
  readonly wait?: (signal: AbortSignal) => Promise<unknown>;
  readonly onBegin?: (running: Promise<unknown>) => void;
}

/** Runs one exchange at a place. Once it has begun it is not cancelled. */
function exchangeAt<T>(
  place: TokenPlace,
  key: string,
  work: (token: StoredToken) => Observable<T>,
  { wait = quarterSecond, onBegin }: ExchangeWaits = {},
): Observable<T> {
  return fromAbortable(async (signal) => {
    const tokens = await opened(place, () => wait(signal));
    const running = withToken(place.name, key, (token) => lastValueFrom(work(token)), tokens);
    onBegin?.(running);
    return running;
  });
}

function serverPlace(address: string, context: SinkContext, options: ServerStoreOptions | undefined): TokenPlace {
  try {
    return tokensAt(address, context, options);
  } catch (thrown) {
    const { message } = asExtractError(thrown);
    const problem = { path: 'api.authentication.tokenStore', message };
    throw new ExtractError('ERR_CONFIG', `${problem.path}: ${message}`, { problems: [problem] });
  }
}

const filePlace = (path: string, take: (path: string) => Promise<Lock>): TokenPlace => ({
  name: path,
  async open(onInUse) {
    await makeFolder(dirname(path), 0o700);
    const lock = await lockOf(path, take, onInUse);
    await lock.verify().catch(async (thrown: unknown) => {
      await lock.release();
      throw thrown;
    });
    return {
      read: () => readTokens(path),
      write: (entries) => writeTokens(path, entries),
      release: () => lock.release(),
    };
  },
});

/** In ms. */
const longestExchange = 30_000;

const quarterSecond = (signal: AbortSignal) => sleep(250, undefined, { signal });

/** For a process that exchanges a token, in ms. A try may take seconds by itself, so tries are not counted. */
const longestWait = 120_000;

/** Time that jumps, as after the sleep of a machine, is no wait. */
const leastTries = 20;

/** Waits for a process that exchanges a token now. Throws ERR_TOKEN_STORE, with its number, if it does not end. */
async function opened(place: TokenPlace, wait: () => Promise<unknown>): Promise<OpenTokens> {
  const began = asyncScheduler.now();
  let tries = 0;
  try {
    return await place.open(async (error) => {
      tries += 1;
      if (tries >= leastTries && asyncScheduler.now() - began >= longestWait) throw error;
      await wait();
    });
  } catch (thrown) {
    throw storeError(place.name, 'locked', thrown);
  }
}

async function lockOf(
  path: string,
  take: (path: string) => Promise<Lock>,
  onInUse: (error: ExtractError) => Promise<void>,
): Promise<Lock> {
  for (;;) {
    try {
      return await take(`${path}.lock`);
    } catch (thrown) {
      const error = asExtractError(thrown);
      if (error.code !== 'ERR_STATE') throw thrown;
      await onInUse(error);
    }
  }
}

/** Marks the token as sent, runs the exchange, and removes the mark unless a new token has replaced it. */
async function withToken<T>(
  name: string,
  key: string,
  work: (token: StoredToken) => Promise<T>,
  tokens: OpenTokens,
): Promise<T> {
  try {
    const before = tokens.read();
    let entry = before.get(key) ?? {};
    const isInDoubt = entry.isSent === true;
    /** Of the last write. */
    let written: void | Promise<void>;
    const write = (next: TokenEntry) => {
      written = tokens.write(new Map(before).set(key, next));
      written?.catch(() => {}); // it is waited for below
      entry = next;
    };
    const stored = async () => {
      await written;
    };
    const writeNow = async (next: TokenEntry) => {
      write(next);
      await stored();
    };
    await writeNow({ ...entry, isSent: true }); // This proves, too, that the place takes what follows.
    try {
      const value = await work({
        ...defined({ latest: entry.token }),
        isInDoubt,
        replace: (token) => write({ token }),
      }).finally(stored);
      if (entry.isSent === true) await writeNow(defined({ token: entry.token }));
      return value;
    } catch (thrown) {
      // A refusal says that the server has not used the token.
      if (isRefused(thrown) && entry.isSent === true && !isInDoubt) await writeNow(defined({ token: entry.token }));
      throw thrown;
    }
  } catch (thrown) {
    throw asExtractError(thrown).code === 'ERR_STATE' ? storeError(name, 'written', thrown) : thrown;
  } finally {
    await tokens.release();
  }
}

const isRefused = (thrown: unknown): boolean =>
  thrown instanceof ExtractError && thrown.code === 'ERR_LOGIN' && thrown.where.final === true;
