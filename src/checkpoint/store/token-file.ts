/**
 * The file of a token store. It is written in one synchronous step, so that nothing of this process happens between
 * the response of a token endpoint and the file on the disk.
 */
import { closeSync, fchmodSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError, systemError } from '../../core/errors/system-error.js';
import { defined } from '../../core/util/defined.js';

/** The token of one key. */
export interface TokenEntry {
  /** Absent: none was stored yet. */
  readonly token?: string;
  /** A request with the token was about to be sent, and its response is not stored. */
  readonly isSent?: true;
}

export type TokenEntries = ReadonlyMap<string, TokenEntry>;

/** A place of tokens that one process has at a time. */
export interface TokenPlace {
  /** Without secrets. */
  readonly name: string;
  /** Waits for a process that exchanges a token now, as `onInUse` says. */
  open(onInUse: (error: ExtractError) => Promise<void>): Promise<OpenTokens>;
}

/** The tokens, as this process has them. */
export interface OpenTokens {
  read(): TokenEntries;
  /** The file is written when this returns. */
  write(entries: TokenEntries): void | Promise<void>;
  release(): Promise<void>;
}

const version = 1;

/** Reads all entries; none if there is no file. Throws ERR_TOKEN_STORE. */
export function readTokens(path: string): TokenEntries {
  try {
    return entriesOf(readFileSync(path, 'utf8'), path);
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return new Map();
    throw storeError(path, 'read', thrown);
  }
}

/** Reads the text of a store. Throws ERR_TOKEN_STORE, with the name of its place. */
export const entriesOf = (text: string, name: string): TokenEntries => new Map(pairsOf(text, name));

function pairsOf(text: string, path: string): readonly (readonly [string, TokenEntry])[] {
  const { version: found, tokens } = contentOf(text) ?? {};
  if (found !== version || typeof tokens !== 'object' || tokens === null) throw notAStore(path);
  return Object.entries(tokens).map(([key, entry]) => {
    const { token, isSent } = Object(entry);
    if (typeof token !== 'string' && token !== undefined) throw notAStore(path);
    return [key, { ...(token === undefined ? {} : { token }), ...(isSent === true ? { isSent } : {}) }];
  });
}

function contentOf(text: string): { readonly version?: unknown; readonly tokens?: unknown } | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const notAStore = (path: string) =>
  new ExtractError('ERR_TOKEN_STORE', `"${path}" is not a token store; name another path, or remove the file`);

/** The text of a store. */
export const textOfTokens = (entries: TokenEntries): string =>
  JSON.stringify({ version, tokens: Object.fromEntries(entries) }, undefined, 2);

/**
 * Replaces the file; only its owner can read it. When it returns, the file and its folder are on the disk. A crash
 * leaves the old file or the new one. Throws ERR_TOKEN_STORE.
 */
export function writeTokens(path: string, entries: TokenEntries): void {
  const draft = `${path}.new`;
  try {
    const text = textOfTokens(entries);
    rmSync(draft, { force: true }); // it may have another mode, or be a link to another place
    flushing(draft, 'wx', (file) => {
      fchmodSync(file, 0o600);
      writeFileSync(file, `${text}\n`);
    });
    renameSync(draft, path);
    if (process.platform !== 'win32') flushing(dirname(path), 'r', () => undefined); // Windows opens no folder
  } catch (thrown) {
    throw storeError(path, 'written', thrown);
  }
}

function flushing(path: string, flags: string, work: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    work(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Wraps what the system says. */
export function storeError(path: string, what: 'read' | 'written' | 'locked', thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError && thrown.code === 'ERR_TOKEN_STORE') return thrown;
  const why = thrown instanceof ExtractError ? thrown.message : describeSystemError(thrown);
  const message = `the token store "${path}" cannot be ${what}: ${why}`;
  const remedy = thrown instanceof ExtractError ? thrown.where.remedy : undefined;
  return new ExtractError('ERR_TOKEN_STORE', message, { cause: thrown, ...defined({ remedy }) });
}
