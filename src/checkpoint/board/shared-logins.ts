/**
 * Logins that the workers of a server share, encrypted there. Who has the cell of a login may log in, as long as it
 * shows that it lives; what it writes later, after another one has taken the cell, is refused.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstValueFrom, fromEvent, type Observable, takeUntil } from 'rxjs';
import { fromAbortable } from '../../../operators/from-abortable.js';
import { ExtractError } from '../../core/errors/errors.js';
import { defined } from '../../core/util/defined.js';
import type { LoginGeneration, LoginRecord, LoginShare } from '../../http/login-share.js';
import { keyVariable, sealText, unsealText } from '../store/sealed-text.js';
import { entriesOf, type OpenTokens, type TokenEntries, textOfTokens } from '../store/token-file.js';
import { createTokenStore } from '../store/token-store.js';

/** What is stored of a login. */
export interface LoginCell {
  /** How often it was written. */
  readonly generation: number;
  readonly sealed?: string;
  /** The ms that are left, by the clock of the server. */
  readonly lifetime: number;
  /** The last login was refused: the next one waits. */
  readonly refusal?: LoginRefusal;
}

export interface LoginRefusal {
  readonly sealed: string;
  /** The ms until the next login, by the clock of the server. */
  readonly wait: number;
}

/** The logins at a server. Each call is one step there. */
export interface LoginCells {
  /** The address of the server, without secrets. */
  readonly name: string;
  read(key: string): Promise<LoginCell>;
  /** Takes the cell if no other one that lives has it; undefined: it has. `holder` is one use of one worker. */
  take(key: string, holder: string): Promise<LoginCell | undefined>;
  /** Writes the next generation, and returns its number; undefined: another one has taken the cell. */
  put(key: string, holder: string, sealed: string, lifetime: number): Promise<number | undefined>;
  /** Notes that the login was refused. The wait is longer with each one in a row. */
  refuse(key: string, holder: string, sealed: string): Promise<void>;
  /** Shows that the holder lives. False: another one has taken the cell. */
  beat(key: string, holder: string): Promise<boolean>;
  release(key: string, holder: string): Promise<void>;
}

/** In ms; a cell whose holder does not beat for 10 s is free. */
const beatEvery = 2500;

/** Creates the share of one worker. `key`: what credentials are encrypted with. */
export function createSharedLogins(cells: LoginCells, key: Uint8Array): LoginShare {
  return {
    obtain: (name, refused, login) => fromAbortable((signal) => obtain({ cells, key, name, refused, signal }, login)),
    tokens: createTokenStore(cells.name, (name) => ({
      name: cells.name,
      open: (onInUse) => openTokens(cells, key, name, onInUse),
    })),
  };
}

interface Wanted {
  readonly cells: LoginCells;
  readonly key: Uint8Array;
  readonly name: string;
  readonly refused: number;
  readonly signal: AbortSignal;
}

async function obtain(wanted: Wanted, login: Observable<LoginRecord>): Promise<LoginGeneration> {
  const { cells, name, signal } = wanted;
  for (let wait = 20; ; wait = Math.min(wait * 1.5, 250)) {
    const read = await cells.read(name);
    const found = generationIn(wanted, read);
    if (found !== undefined) return found;
    mayLogIn(wanted, read);
    const holder = randomUUID();
    const cell = await cells.take(name, holder);
    const made =
      cell === undefined ? undefined : await whileHeld(cells, name, holder, () => logIn(wanted, holder, cell, login));
    if (made !== undefined) return made;
    await sleep(wait * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Another one may have logged in before the cell was taken, or while this process was suspended. */
async function logIn(
  wanted: Wanted,
  holder: string,
  cell: LoginCell,
  login: Observable<LoginRecord>,
): Promise<LoginGeneration | undefined> {
  const { cells, key, name, signal } = wanted;
  const found = generationIn(wanted, cell);
  if (found !== undefined) return found;
  mayLogIn(wanted, cell);
  signal.throwIfAborted();
  const record = await firstValueFrom(login.pipe(takeUntil(fromEvent(signal, 'abort')))).catch(async (thrown) => {
    if (isRefused(thrown)) await cells.refuse(name, holder, sealText(textOfRefusal(thrown), key, useOf(name)));
    throw thrown;
  });
  const generation = await cells.put(name, holder, sealText(record.text, key, useOf(name)), record.lifetime);
  return generation === undefined ? undefined : { ...record, generation };
}

function generationIn(
  { cells, key, name, refused }: Wanted,
  { generation, sealed, lifetime }: LoginCell,
): LoginGeneration | undefined {
  if (sealed === undefined || generation <= refused || lifetime <= 0) return undefined;
  return { text: opened(sealed, { key, name, place: cells.name }), lifetime, generation };
}

/** Throws the error of a login that was refused a short time ago: a server that gets it again may lock the account. */
function mayLogIn({ cells, key, name }: Wanted, { refusal }: LoginCell): void {
  if (refusal === undefined) return;
  const { code, message, status, remedy } = JSON.parse(opened(refusal.sealed, { key, name, place: cells.name }));
  const seconds = Math.ceil(refusal.wait / 1000);
  throw new ExtractError(code, `${message} (another worker was refused; the next login is in ${seconds} s)`, {
    login: true,
    final: true,
    ...defined({ status, remedy }),
  });
}

/** Whether the server has read the login, and would give the same answer again. */
function isRefused(thrown: unknown): thrown is ExtractError {
  if (!(thrown instanceof ExtractError)) return false;
  const { status = 0, login } = thrown.where;
  return thrown.code === 'ERR_LOGIN' || (login === true && status >= 400 && status < 500 && !passing.includes(status));
}

/** Too early, too late, too often. */
const passing: readonly number[] = [408, 425, 429];

const textOfRefusal = ({ code, message, where: { status, remedy } }: ExtractError): string =>
  JSON.stringify({ code, message, status, remedy });

/** The text of one login is not taken for that of another. */
const useOf = (name: string): string => `rxtract-login/1 ${name}`;

function opened(
  sealed: string,
  { key, name, place }: { readonly key: Uint8Array; readonly name: string; readonly place: string },
): string {
  const text = unsealText(sealed, key, useOf(name));
  if (text !== undefined) return text;
  throw new ExtractError(
    'ERR_LOGIN',
    `the logins at "${place}" cannot be decrypted: ${keyVariable} is another key than that of the worker that wrote them, or they were changed`,
    { remedy: `Set ${keyVariable} to the same key for all workers.` },
  );
}

async function whileHeld<T>(cells: LoginCells, name: string, holder: string, work: () => Promise<T>): Promise<T> {
  const stop = beating(cells, name, holder);
  try {
    return await work();
  } finally {
    stop();
    await cells.release(name, holder).catch(() => {}); // it is free after a while
  }
}

function beating(cells: LoginCells, name: string, holder: string): () => void {
  const timer = setInterval(() => void cells.beat(name, holder).catch(() => {}), beatEvery);
  return () => clearInterval(timer);
}

/** A cell of its own for each token: exchanges of different ones run side by side. */
async function openTokens(
  cells: LoginCells,
  key: Uint8Array,
  token: string,
  onInUse: (error: ExtractError) => Promise<void>,
): Promise<OpenTokens> {
  const name = `token ${token}`;
  const holder = randomUUID();
  let cell = await cells.take(name, holder);
  while (cell === undefined) {
    await onInUse(new ExtractError('ERR_STATE', 'another worker exchanges the token'));
    cell = await cells.take(name, holder);
  }
  const { sealed } = cell;
  const stop = beating(cells, name, holder);
  return {
    read: () =>
      sealed === undefined ? new Map() : entriesOf(opened(sealed, { key, name, place: cells.name }), cells.name),
    async write(entries: TokenEntries) {
      const text = sealText(textOfTokens(entries), key, useOf(name));
      const generation = await cells.put(name, holder, text, Number.POSITIVE_INFINITY);
      if (generation === undefined) throw new ExtractError('ERR_STATE', 'another worker has taken the token meanwhile');
    },
    async release() {
      stop();
      await cells.release(name, holder).catch(() => {}); // it is free after a while
    },
  };
}
